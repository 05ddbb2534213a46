import { schema, text, together } from './write.mjs';

/** What takes two persons, and what was seen is what is decided (decisions, section 11). */

const D = 'modules/disbursements';
const B = 'modules/banking';
const DEPOSITS = 'test/admin/cases/deposits-take-two.test.ts';
const ROLES = ['test/admin/roles/role-grants-take-two.test.ts', 'test/admin/roles/role-grants-kept.test.ts'];
const P = 'modules/permissions';
const RETURNS = 'test/admin/payments/return-files-take-two.test.ts';

const codeConfirmsOwn = text(
  'the code lets whoever has recorded a deposit confirm it',
  `${D}/ledger/decide-cash-entry.ts`,
  'await requireSecondPerson(tx, by.actor, [recorded_by], words);',
  'void [requireSecondPerson, words];',
  DEPOSITS,
);
const tableConfirmsOwn = schema(
  'the table lets whoever has recorded a deposit confirm it',
  'drop trigger cash_entry_takes_two on cash_entry',
  DEPOSITS,
);
const codeAppliesOwn = text(
  'the code lets whoever has read in a return file confirm it',
  `${B}/returns/return-file.ts`,
  'await requireSecondPerson(tx, by.actor, [file.uploaded_by], words);',
  'void [requireSecondPerson, words];',
  RETURNS,
);
const tableAppliesOwn = schema(
  'the table lets whoever has read in a return file confirm it',
  'drop trigger bank_return_file_takes_two on bank_return_file',
  RETURNS,
);

const codeConfirmsGrant = text(
  'the code lets whoever has granted a role confirm it',
  `${P}/decide-role-grant.ts`,
  'await requireSecondPerson(tx, by.actor, [grant.asked_by, user_id], words);',
  'void [requireSecondPerson, words];',
  ROLES,
);
const tableConfirmsGrant = schema(
  'the table lets whoever has granted a role confirm it',
  'drop trigger role_grant_takes_two on role_grant',
  ROLES,
);

/** @type {import('./write.mjs').Mutant[]} */
export const TWO_PERSONS = [
  codeConfirmsOwn,
  tableConfirmsOwn,
  together('nothing keeps one person from recording and confirming a deposit', codeConfirmsOwn, tableConfirmsOwn),
  text(
    'a deposit is recorded and confirmed without the case',
    `${D}/ledger/cash-entry.ts`,
    'and ${caseIsVisible(actor)}',
    'and (${caseIsVisible(actor)} or true)',
    DEPOSITS,
  ),
  text(
    'a deposit is confirmed whatever was seen',
    `${D}/ledger/cash-entry.ts`,
    'if (version !== now)',
    "if (version === 'x')",
    DEPOSITS,
  ),
  text(
    'a deposit is confirmed twice',
    `${D}/ledger/cash-entry.ts`,
    "if (status !== 'waiting')",
    'if (status === undefined)',
    DEPOSITS,
  ),
  text(
    'a refund is confirmed that the case cannot pay',
    `${D}/ledger/decide-cash-entry.ts`,
    "if (kind === 'refund') await requireFunds(tx, seen.case_id, amount_cents);",
    '',
    DEPOSITS,
  ),
  text(
    'a deposit of another case is confirmed under this one',
    `${D}/ledger/cash-entry.ts`,
    'where e.id = ${id} and e.case_id = ${case_id} for update',
    'where e.id = ${id} and ${case_id} > 0 for update',
    DEPOSITS,
  ),
  text(
    'a deposit waits for whoever has recorded it',
    `${D}/ledger/list-cash-entries.ts`,
    "[sql`e.status = 'waiting'`, mayBeSecond(reader.id, MAKER)]",
    "[sql`e.status = 'waiting'`]",
    DEPOSITS,
  ),
  text(
    'deposits of foreign cases wait for everybody',
    `${D}/ledger/list-cash-entries.ts`,
    'allOf([caseIsVisible(reader), ...conditions])',
    'allOf([sql`(${caseIsVisible(reader)} or true)`, ...conditions])',
    DEPOSITS,
  ),
  text(
    'a page hides that nobody else can confirm a deposit',
    `${D}/ledger/list-cash-entries.ts`,
    'and ${mayBeSecond(sql`u.id`, MAKER)})',
    'and u.id > 0)',
    DEPOSITS,
  ),
  schema(
    'the ledger takes a deposit that nobody has confirmed',
    'drop trigger ledger_transaction_takes_two on ledger_transaction',
    DEPOSITS,
  ),
  schema(
    'one deposit is posted twice',
    'alter table ledger_transaction drop constraint ledger_transaction_cash_entry_id_key',
    DEPOSITS,
  ),
  schema('a recorded deposit may be changed', 'drop trigger cash_entry_is_kept on cash_entry', DEPOSITS),
  codeAppliesOwn,
  tableAppliesOwn,
  together('nothing keeps one person from reading in and confirming a return file', codeAppliesOwn, tableAppliesOwn),
  text(
    'a return file is confirmed whatever was seen',
    `${B}/returns/return-file.ts`,
    'if (versionOf(sha256, planned) === version) return;',
    "if (version !== 'x') return;",
    RETURNS,
  ),
  text(
    'who reads in a return file need not see its payments',
    `${B}/returns/return-file.ts`,
    'await refuseUnseen(tx, by.actor, ids);',
    '',
    RETURNS,
  ),
  text(
    'who confirms a return file need not see its payments',
    `${B}/returns/return-file.ts`,
    "await refuseUnseen(tx, by.actor, requestsOf(file.planned));\n    refuseOther(file, version);\n    await decide(tx, id, { status: 'applied'",
    "refuseOther(file, version);\n    await decide(tx, id, { status: 'applied'",
    RETURNS,
  ),
  text(
    'who refuses a return file need not see its payments',
    `${B}/returns/return-file.ts`,
    "await refuseUnseen(tx, by.actor, requestsOf(file.planned));\n    refuseOther(file, version);\n    await decide(tx, id, { status: 'refused'",
    "refuseOther(file, version);\n    await decide(tx, id, { status: 'refused'",
    RETURNS,
  ),
  text(
    'a return file waits for whoever has read it in',
    `${B}/returns/list-return-files.ts`,
    'mayBeSecond(reader.id, sql`array[f.uploaded_by]`), seesAll(reader)]',
    'seesAll(reader)]',
    RETURNS,
  ),
  text(
    'a return file waits for who does not see its payments',
    `${B}/returns/list-return-files.ts`,
    'mayBeSecond(reader.id, sql`array[f.uploaded_by]`), seesAll(reader)]',
    'mayBeSecond(reader.id, sql`array[f.uploaded_by]`), sql`(${seesAll(reader)} or true)`]',
    RETURNS,
  ),
  text(
    'a return file shows payments of foreign cases',
    `${B}/returns/list-return-files.ts`,
    'const is_visible = about === null || visible.has(about);',
    'const is_visible = about === null || visible.size >= 0;',
    RETURNS,
  ),
  text(
    'a return file keeps account numbers when it is decided',
    `${B}/returns/return-file.ts`,
    'content = null where id = ${id}',
    'content = content where id = ${id}',
    RETURNS,
  ),
  schema(
    'what a waiting return file would do may stand as done',
    'drop trigger bank_return_entry_takes_two on bank_return_entry',
    RETURNS,
  ),
  schema(
    'a return file may be changed while it waits',
    'drop trigger bank_return_file_is_kept on bank_return_file',
    RETURNS,
  ),
  codeConfirmsGrant,
  tableConfirmsGrant,
  together(
    'nothing keeps one administrator from granting and confirming a role',
    codeConfirmsGrant,
    tableConfirmsGrant,
  ),
  text(
    'a role that may move money counts at once',
    `${P}/role-grants.ts`,
    'const waits = gains && by.actor !== null && (await needsSecond(tx));',
    'const waits = gains && by.actor === null && (await needsSecond(tx));',
    ROLES,
  ),
  text(
    'what moves money counts at once when a role may do more',
    `${P}/role-grants.ts`,
    'return waits ? added.filter((permission) => !moving.includes(permission)) : [...added];',
    'return [...added];',
    ROLES,
  ),
  text(
    'two records of one administrator are two',
    `${P}/role-grants.ts`,
    'count(distinct (person_records(u.id))[1])',
    'count(distinct u.id)',
    ROLES,
  ),
  text('an administrator who was shut out counts', `${P}/role-grants.ts`, "and u.status = 'active' and", 'and', ROLES),
  text(
    'a grant is confirmed whatever was seen',
    `${P}/decide-role-grant.ts`,
    'if (grant.version !== version)',
    "if (version === 'x')",
    ROLES,
  ),
  text(
    'a grant is confirmed by whoever may do less',
    `${P}/decide-role-grant.ts`,
    'if (user_id !== null) await refuseStrongerRole(tx, admin_role_id, by);',
    '',
    ROLES,
  ),
  text(
    'nobody hears of a grant',
    `${P}/role-grants.ts`,
    'await notify(tx, { sentence, waits });\n    return !waits;',
    'return !waits;',
    ROLES,
  ),
  text(
    'nobody hears that a role may do more',
    `${P}/role-grants.ts`,
    'await notify(tx, { sentence, waits });\n  return waits ?',
    'return waits ?',
    ROLES,
  ),
  text(
    'nobody hears that a grant counts',
    `${P}/decide-role-grant.ts`,
    'await notify(tx, {',
    'if (by === undefined) await notify(tx, {',
    ROLES,
  ),
  text(
    'a grant waits for whoever gets it',
    `${P}/list-role-grants.ts`,
    '[mayBeSecond(reader.id, PARTIES)]',
    '[mayBeSecond(reader.id, sql`array[g.asked_by]`)]',
    ROLES,
  ),
  text(
    'an account that is let in again has its role at once',
    'modules/accounts/people/assign-role.ts',
    'if (!counts) await setRole(tx, user.id, null);',
    '',
    ROLES,
  ),
  text(
    'an invited person has their role at once',
    'modules/accounts/people/invite-user.ts',
    'if (counts) await setRole(tx, user.id, wanted);',
    'await setRole(tx, user.id, wanted);',
    ROLES,
  ),
  text(
    'who waits for a role is changed by whoever may do less',
    'modules/accounts/sign-in/lock-user.ts',
    'unionOf([rightsOf(userId), waiting])',
    'unionOf([rightsOf(userId), sql`${waiting} and false`])',
    ROLES,
  ),
  ...[
    ['create_nacha', 'approve_nacha', 'edit_bank_accounts'],
    ['approve_drs', 'make_payments', 'manage_roles'],
  ].flatMap((names) =>
    names.map((name) => {
      const listed = (/** @type {string[]} */ some) => `...([${some.map((one) => `'${one}'`).join(', ')}] as const),`;
      const others = names.filter((other) => other !== name);
      return text(`${name} moves no money`, `${P}/catalogue.ts`, listed(names), listed(others), ROLES);
    }),
  ),
  schema('a grant is decided about twice', 'drop trigger role_grant_is_kept on role_grant', ROLES),
];
