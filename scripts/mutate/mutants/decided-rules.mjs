import { schema, text } from './write.mjs';

/** What was seen is what is decided, by another person, about an account that is its owner's (decisions, section 11). */

const D = 'modules/disbursements';
const B = 'modules/banking';
const A = 'modules/accounts';
const SEEN = 'test/api/disbursements/decide-what-was-seen.test.ts';
const ONE = 'test/admin/disbursements/one-person.test.ts';
const TAKEOVER = 'test/admin/account/takeover.test.ts';

/** @type {import('./write.mjs').Mutant[]} */
export const DECIDED_RULES = [
  text(
    'decided: a request is decided about whatever was seen',
    `${D}/approve-disbursement.ts`,
    'await requireSeenVersion(tx, locked, version);',
    'void [requireSeenVersion, version];',
    SEEN,
  ),
  ...['d.amount_cents, ', 'd.payee_id, ', 'd.category, ', ' d.description,\n'].map((part) =>
    text(
      `decided: the version of a request leaves out ${part.trim()}`,
      `${D}/disbursement-version.ts`,
      part.startsWith(' ') ? 'd.category, d.description,' : part,
      part.startsWith(' ') ? 'd.category,' : '',
      SEEN,
    ),
  ),
  text(
    'decided: the version of a request leaves out its receipts',
    `${D}/disbursement-version.ts`,
    '(select jsonb_agg(f.id order by f.id) from disbursement_file f where f.disbursement_id = d.id)',
    'null',
    SEEN,
  ),
  text(
    'decided: the version of a request leaves out the account',
    `${D}/disbursement-version.ts`,
    '(select a.id from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null)',
    'null',
    SEEN,
  ),
  text(
    'decided: an approval does not wait for a change of the account',
    `${D}/disbursement-version.ts`,
    "await lockPayee(tx, request.payee_id, 'decide');",
    '',
    SEEN,
  ),
  text(
    'decided: who has a part in a request decides about it',
    `${D}/lock-disbursement.ts`,
    "await requireSecondPerson(tx, actor, locked.makers, 'You’re part of this request, so someone else has to decide it.');",
    'void requireSecondPerson;',
    ONE,
  ),
  schema(
    'decided: the table lets who has a part in a request decide',
    'drop trigger disbursement_request_takes_two on disbursement_request',
    ONE,
  ),
  text(
    'decided: somebody who has a part is asked to decide',
    'modules/cases/designated-approver.ts',
    'and ${mayBeSecond(sql`u.id`, makers)}',
    'and (${mayBeSecond(sql`u.id`, makers)} or true)',
    ONE,
  ),
  text(
    'decided: an account that staff enter is used at once',
    `${B}/bank-accounts/set-bank-account.ts`,
    'const isByStaff = by.actor?.id !== owner.id;',
    'const isByStaff = by.actor?.id === 0;',
    ONE,
  ),
  text(
    'decided: an account that staff enter is not announced',
    `${B}/bank-accounts/set-bank-account.ts`,
    'if (usable_from > now) await announceBankAccountChange(tx, owner, after);',
    'void announceBankAccountChange;',
    ONE,
  ),
  text(
    'decided: our bank is changed whatever was seen',
    `${B}/set-bank-profile.ts`,
    'if (profileVersion(before) !== version)',
    "if (version === 'x')",
    ONE,
  ),
  text(
    'decided: a form over another account is taken',
    `${B}/bank-accounts/bank-account.ts`,
    'if (accountVersion(await findBankAccount(db, userId)) !== version)',
    "if (version === 'x')",
    ONE,
  ),
  text(
    'decided: the list that is decided about was not the one seen',
    `${B}/batches/batch.ts`,
    'if (now?.sha256 !== sha256.toLowerCase())',
    "if (sha256 === 'x')",
    ONE,
  ),
  text(
    'decided: another record of its maker acts on a batch',
    `${B}/batches/batch.ts`,
    'return requireSecondPerson(tx, actor, [batch.created_by], `You made this batch, so someone else has to ${what}.`);',
    'return requireSecondPerson(tx, actor, [], what + batch.id);',
    ONE,
  ),
  text(
    'decided: who has set an account acts on its batch',
    `${B}/batches/batch.ts`,
    'return requireSecondPerson(tx, actor, sql`batch_insiders(${id})`, words);',
    'return requireSecondPerson(tx, actor, id > 0 ? [] : sql`null`, words);',
    ONE,
  ),
  text(
    'decided: one person signs twice',
    `${B}/batches/sign-file.ts`,
    "await requireSecondPerson(tx, by.actor, others, 'You already signed this file. Someone else has to sign it, too.');",
    'void [requireSecondPerson, others];',
    ONE,
  ),
  schema(
    'decided: the table lets one person have two parts in a batch',
    'drop trigger banking_batch_takes_two on banking_batch',
    ONE,
  ),
  schema(
    'decided: the table lets one person sign twice',
    'drop trigger batch_signature_takes_two on batch_signature',
    ONE,
  ),
  text(
    'decided: a file is made of another list than was seen',
    `${B}/batches/generate-file.ts`,
    'await requireSeenList(tx, batch, listSha256);',
    'void [requireSeenList, listSha256];',
    ONE,
  ),
  text(
    'decided: an outcome is said of another file than was seen',
    `${B}/batches/hand-out-file.ts`,
    "if (batch.file_sha256 !== sha256.toLowerCase())\n      throw new ChangedError('The file changed after you opened this page. Check the batch again.');\n    const to",
    'const to',
    ONE,
  ),
  text(
    'decided: another address counts at once',
    `${A}/people/edit-user.ts`,
    "const asksOwner = changed.includes('email_address') && user.status !== 'invited';",
    'const asksOwner = false as boolean;',
    TAKEOVER,
  ),
  text(
    'decided: the address before is not told',
    `${A}/people/change-address.ts`,
    '  await mails.sendLink(tx, user, { address, token });\n  await mails.announce(tx, user, { address });',
    '  await mails.sendLink(tx, user, { address, token });',
    TAKEOVER,
  ),
  text(
    'decided: a request before stays good',
    `${A}/people/change-address.ts`,
    'await endAddressChange(tx, user.id, now);\n  const token',
    'const token',
    TAKEOVER,
  ),
  text(
    'decided: nobody is told at the address before',
    `${A}/people/change-address.ts`,
    'return rows.map(({ old_address }) => old_address);',
    'return rows.slice(0, 0).map(({ old_address }) => old_address);',
    TAKEOVER,
  ),
  text(
    'decided: the address before is told for a day',
    `${A}/people/change-address.ts`,
    'TOLD_MS = 30 *',
    'TOLD_MS = 1 *',
    TAKEOVER,
  ),
  text(
    'decided: a changed address makes accounts wait no longer',
    `${B}/bank-accounts/set-bank-account.ts`,
    '(moved?.getTime() ?? 0) + NEW_ADDRESS_MS',
    '(moved?.getTime() ?? 0) * 0',
    TAKEOVER,
  ),
  text(
    'decided: who may do less changes a record',
    `${A}/people/edit-user.ts`,
    'await refuseStronger(tx, user.id, change);',
    '',
    TAKEOVER,
  ),
  text(
    'decided: who may do less invites again',
    `${A}/people/invite-user.ts`,
    'await refuseStronger(tx, userId, change);',
    '',
    TAKEOVER,
  ),
  text(
    'decided: who may do less shuts out',
    `${A}/people/deactivate-user.ts`,
    "await refuseStronger(tx, userId, change);\n    if (user.status === 'deactivated')",
    "if (user.status === 'deactivated')",
    TAKEOVER,
  ),
  text(
    'decided: who may do less lets in again',
    `${A}/people/deactivate-user.ts`,
    "await refuseStronger(tx, userId, change);\n    if (user.status !== 'deactivated')",
    "if (user.status !== 'deactivated')",
    TAKEOVER,
  ),
  text(
    'decided: who may do less resets two-factor',
    `${A}/people/deactivate-user.ts`,
    'await refuseStronger(tx, userId, change);\n    if (user.two_factor_method',
    'if (user.two_factor_method',
    TAKEOVER,
  ),
  text(
    'decided: who may do less takes a role',
    `${A}/people/assign-role.ts`,
    'await refuseStronger(tx, user_id, change);',
    '',
    TAKEOVER,
  ),
  text(
    'decided: who may do less gives a role',
    `${A}/people/assign-role.ts`,
    'await refuseStrongerRole(tx, admin_role_id, change);',
    '',
    TAKEOVER,
  ),
  text(
    'decided: who may do less invites to a role',
    `${A}/people/invite-user.ts`,
    'await refuseStrongerRole(tx, checked.admin_role_id, change);',
    '',
    TAKEOVER,
  ),
];
