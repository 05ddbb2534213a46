import { schema, text, together } from './write.mjs';

/** What takes two persons, and what was seen is what is decided (decisions, section 11). */

const D = 'modules/disbursements';
const B = 'modules/banking';
const DEPOSITS = 'test/admin/deposits-take-two.test.ts';
const RETURNS = 'test/admin/return-files-take-two.test.ts';

const codeConfirmsOwn = text(
  'the code lets whoever has recorded a deposit confirm it',
  `${D}/decide-cash-entry.ts`,
  'await refuseSamePerson(tx, by.actor, [recorded_by], words);',
  'void [refuseSamePerson, words];',
  DEPOSITS,
);
const tableConfirmsOwn = schema(
  'the table lets whoever has recorded a deposit confirm it',
  'drop trigger cash_entry_takes_two on cash_entry',
  DEPOSITS,
);
const codeAppliesOwn = text(
  'the code lets whoever has read in a return file confirm it',
  `${B}/return-file.ts`,
  'await refuseSamePerson(tx, by.actor, [file.uploaded_by], words);',
  'void [refuseSamePerson, words];',
  RETURNS,
);
const tableAppliesOwn = schema(
  'the table lets whoever has read in a return file confirm it',
  'drop trigger bank_return_file_takes_two on bank_return_file',
  RETURNS,
);

/** @type {import('../list-mutants.mjs').Mutant[]} */
export const TWO_PERSONS = [
  codeConfirmsOwn,
  tableConfirmsOwn,
  together('nothing keeps one person from recording and confirming a deposit', codeConfirmsOwn, tableConfirmsOwn),
  text(
    'a deposit is recorded and confirmed without the case',
    `${D}/cash-entry.ts`,
    'and ${caseIsVisible(actor)}',
    'and (${caseIsVisible(actor)} or true)',
    DEPOSITS,
  ),
  text(
    'a deposit is confirmed whatever was seen',
    `${D}/cash-entry.ts`,
    'if (version !== now)',
    "if (version === 'x')",
    DEPOSITS,
  ),
  text(
    'a deposit is confirmed twice',
    `${D}/cash-entry.ts`,
    "if (status !== 'waiting')",
    'if (status === undefined)',
    DEPOSITS,
  ),
  text(
    'a refund is confirmed that the case cannot pay',
    `${D}/decide-cash-entry.ts`,
    "if (kind === 'refund') await requireFunds(tx, seen.case_id, amount_cents);",
    '',
    DEPOSITS,
  ),
  text(
    'a deposit of another case is confirmed under this one',
    `${D}/cash-entry.ts`,
    'where e.id = ${id} and e.case_id = ${case_id} for update',
    'where e.id = ${id} and ${case_id} > 0 for update',
    DEPOSITS,
  ),
  text(
    'a deposit waits for whoever has recorded it',
    `${D}/list-cash-entries.ts`,
    "[sql`e.status = 'waiting'`, sql`not ${isOwn}`]",
    "[sql`e.status = 'waiting'`, sql`(not ${isOwn} or true)`]",
    DEPOSITS,
  ),
  text(
    'deposits of foreign cases wait for everybody',
    `${D}/list-cash-entries.ts`,
    'allOf([caseIsVisible(reader), ...conditions])',
    'allOf([sql`(${caseIsVisible(reader)} or true)`, ...conditions])',
    DEPOSITS,
  ),
  text(
    'a page hides that nobody else can confirm a deposit',
    `${D}/list-cash-entries.ts`,
    'and not is_person_among(u.id, array[e.recorded_by]))',
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
    `${B}/return-file.ts`,
    'if (versionOf(sha256, planned) === version) return;',
    "if (version !== 'x') return;",
    RETURNS,
  ),
  text(
    'who reads in a return file need not see its payments',
    `${B}/return-file.ts`,
    'await refuseUnseen(tx, by.actor, ids);',
    '',
    RETURNS,
  ),
  text(
    'who confirms a return file need not see its payments',
    `${B}/return-file.ts`,
    'await refuseUnseen(tx, by.actor, requestsOf(file.planned));\n    refuseOther(file, version);\n    refuseUnsettled',
    'refuseOther(file, version);\n    refuseUnsettled',
    RETURNS,
  ),
  text(
    'who refuses a return file need not see its payments',
    `${B}/return-file.ts`,
    'await refuseUnseen(tx, by.actor, requestsOf(file.planned));\n    refuseOther(file, version);\n    await decide',
    'refuseOther(file, version);\n    await decide',
    RETURNS,
  ),
  text(
    'a return file waits for whoever has read it in',
    `${B}/list-return-files.ts`,
    "[sql`f.status = 'waiting'`, sql`not ${isOwn}`, seesAll(reader)]",
    "[sql`f.status = 'waiting'`, sql`(not ${isOwn} or true)`, seesAll(reader)]",
    RETURNS,
  ),
  text(
    'a return file waits for who does not see its payments',
    `${B}/list-return-files.ts`,
    'sql`not ${isOwn}`, seesAll(reader)]',
    'sql`not ${isOwn}`, sql`(${seesAll(reader)} or true)`]',
    RETURNS,
  ),
  text(
    'a return file shows payments of foreign cases',
    `${B}/list-return-files.ts`,
    'const is_visible = about === null || visible.has(about);',
    'const is_visible = about === null || visible.size >= 0;',
    RETURNS,
  ),
  text(
    'a return file keeps account numbers when it is decided',
    `${B}/return-file.ts`,
    'content = null where id = $1',
    'content = content where id = $1',
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
];
