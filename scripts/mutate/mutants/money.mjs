import { schema, text, together } from './write.mjs';

const M = 'modules/disbursements';
const APPROVE = `${M}/approve-disbursement.ts`;
const SUBMIT = `${M}/submit-disbursement.ts`;
const UPDATE = `${M}/update-disbursement.ts`;
const CREATE = `${M}/create-disbursement.ts`;
const HOLD = `${M}/lock-disbursement.ts`;
const REQUESTS = ['test/api/disbursements/disbursements.test.ts', 'test/api/disbursements/disbursement-life.test.ts'];
const PEOPLE = 'test/api/disbursements/disbursement-people.test.ts';
const LIMITS = 'test/api/disbursements/disbursement-limits.test.ts';
const FIELDS = `${M}/disbursement-fields.test.ts`;
const RECEIPTS = 'test/api/disbursements/disbursements-receipts.test.ts';
const ON_DRAFTS = 'test/admin/disbursements/commands-on-drafts.test.ts';
const HANDED_ON = 'test/admin/disbursements/approvals-handed-on.test.ts';
const MAILS = 'test/worker/money-mails.test.ts';
const CASE_MONEY = 'test/admin/cases/case-money.test.ts';
const LEDGER = [`${M}/ledger/ledger.test.ts`, `${M}/ledger/ledger-tables.test.ts`];
const BALANCE = `${M}/ledger/ledger-balance.test.ts`;
const CASES = 'test/api/cases/cases.test.ts';
const BENEFITS = 'test/api/cases/benefits.test.ts';
const ONE_PERSON = 'test/admin/disbursements/one-person.test.ts';

const codeAsksNobody = text(
  'the code lets anyone who sees a request decide about it',
  APPROVE,
  'await requireChecker(tx, locked, actor);',
  'void requireChecker;',
  REQUESTS,
  ONE_PERSON,
);
const tableAsksNobody = schema(
  'the table lets one person ask and decide',
  'drop trigger disbursement_request_takes_two on disbursement_request',
  ONE_PERSON,
);

/**
 * @param {'d.created_by' | 'd.submitted_by' | 'd.revised_by' | 'd.payee_id' | 'account'} part
 * @returns {string} SQL after which whoever has this part in a request has none
 */
function insidersWithout(part) {
  const account =
    'select array[a.created_by] || a.entered_by from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null';
  const records = ['d.created_by', 'd.submitted_by', 'd.payee_id'].filter((other) => other !== part);
  const changed = part === 'd.revised_by' ? '' : ' || d.revised_by';
  const entered = part === 'account' ? '' : ` || (${account})`;
  return `create or replace function disbursement_insiders(d disbursement_request) returns bigint[]
    language plpgsql stable as $$ begin
      return array[${records.join(', ')}]${changed}${entered};
    end $$`;
}

const noFundsAsked = text(
  'an approval does not ask what the case has',
  APPROVE,
  'await requireFunds(tx, locked.case_id, locked.amount_cents);',
  '',
  LEDGER,
);
const noCover = schema(
  'accounts below nothing are not refused by the database',
  'drop trigger ledger_balance_is_covered on ledger_balance',
  BALANCE,
  LEDGER,
);

/** Requests for money, and what a case has. */
// biome-ignore format: a mutant a line
export const MONEY = [
  codeAsksNobody,
  tableAsksNobody,
  together('anyone who sees a request approves it', codeAsksNobody, tableAsksNobody),
  text('anyone who sees a request takes it back', APPROVE, `requireMaker(locked, by.actor);\n    await moveDisbursement(tx, locked, 'cancel'`, `await moveDisbursement(tx, locked, 'cancel'`, REQUESTS),
  text('staff change, send and decide about drafts that they do not read', HOLD, 'if (!has_content && !unread)', 'if (has_content === undefined)', ON_DRAFTS),
  text('nobody clears away a draft of others', APPROVE, 'by.actor, id, { unread: true });', 'by.actor, id);', ON_DRAFTS),
  text('a request of a closed case is approved', APPROVE, 'requireOpenCase(locked.case);', '', REQUESTS),
  noFundsAsked,
  noCover,
  together('nothing asks what a case has', noFundsAsked, noCover),
  schema('who wrote a request decides about it', insidersWithout('d.created_by'), PEOPLE, REQUESTS, ONE_PERSON),
  schema('who sent a request decides about it', insidersWithout('d.submitted_by'), PEOPLE, REQUESTS, ONE_PERSON),
  schema('who changed a request decides about it', insidersWithout('d.revised_by'), PEOPLE, REQUESTS, ONE_PERSON),
  schema('who is paid decides about it', insidersWithout('d.payee_id'), PEOPLE, REQUESTS, ONE_PERSON),
  schema('who has set the account decides about what is paid to it', insidersWithout('account'), PEOPLE, ONE_PERSON),
  text('a change of amount or payee is not noted', UPDATE, 'if (isOtherPayment(wanted)) await noteReviser(tx, locked.id, by);', '', PEOPLE, REQUESTS),
  text('anyone who sees a request sends it', SUBMIT, `requireMaker(locked, by.actor);\n    nextStatus('submit'`, `nextStatus('submit'`, REQUESTS),
  text('a request is sent for somebody who has left', SUBMIT, 'await requirePayee(tx, locked);', '', PEOPLE),
  text('a request is sent for a payee who has left the case', SUBMIT, 'and p.user_id = u.id and p.left_at is null)', 'and p.user_id = u.id)', PEOPLE),
  text('a request is sent for a payee who has written it and left', SUBMIT, 'payee_id === created_by ? caseIsVisibleToUser(sql`u`) : isOnCase', 'payee_id === created_by ? sql`true` : isOnCase', PEOPLE),
  text('a request is sent for a payee whose account is closed', SUBMIT, "u.id = ${payee_id} and u.status = 'active'\n", 'u.id = ${payee_id}\n', PEOPLE),
  text('a request of a closed case is sent', SUBMIT, 'requireOpenCase(locked.case);', '', REQUESTS),
  text('more than there is can be sent', SUBMIT, 'await requireFunds(tx, locked.case_id, locked.amount_cents);', '', LEDGER),
  text('a closed account is asked to approve', SUBMIT, "and status = 'active' for share", 'for share', HANDED_ON),
  text('who has left a case still changes what they wrote there', HOLD, 'locked.sees_case && (locked.created_by === id || locked.submitted_by === id)', '(locked.created_by === id || locked.submitted_by === id)', PEOPLE),
  text('edit_drs works on every case', HOLD, "locked.sees_case && locked.permissions.has('edit_drs')", "locked.permissions.has('edit_drs')", PEOPLE),
  text('approve_drs works on every case', HOLD, "locked.sees_case && locked.permissions.has('approve_drs')", "locked.permissions.has('approve_drs')", PEOPLE),
  text('staff who are asked decide without approve_drs', HOLD, "actor.user_type !== 'admin' && locked.approver_id", 'locked.sees_case && locked.approver_id', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('a changed amount of an approved request stays set aside', UPDATE, "if (locked.status !== 'approved') return;", 'return;', LEDGER),
  text('everything of a sent request may be changed', UPDATE, "if (locked.status !== 'draft' && !isOtherPayment(wanted)) {", 'if (locked.status === undefined) {', REQUESTS),
  text('anyone who sees a request changes it', UPDATE, `requireMaker(locked, by.actor);\n    nextStatus('revise'`, `nextStatus('revise'`, REQUESTS),
  text('a request of a closed case is changed', UPDATE, 'requireOpenCase(locked.case);', '', PEOPLE),
  text('staff write requests without create_drs', CREATE, "!(await findPermissions(db, actor.id)).has('create_drs')", 'false', REQUESTS),
  text('a request is written on a case of others', CREATE, 'if ((await findCase(db, actor, caseId)) === null) throw new NotFoundError();', '', REQUESTS),
  text('a closed case takes a request', CREATE, 'requireOpenCase(locked);', '', REQUESTS),
  text('money goes to somebody who has left', CREATE, 'p.left_at is null and u.id = ${payee.user_id}', 'u.id = ${payee.user_id}', PEOPLE),
  text('money goes to a closed account', CREATE, "\n           and u.user_type = ${payee.user_type} and u.status = 'active'", ' and u.user_type = ${payee.user_type}', PEOPLE),
  text('a payee of another type is taken', CREATE, '\n           and u.user_type = ${payee.user_type} and u.status', " and ${payee.user_type} <> '' and u.status", REQUESTS),
  text('a line of another case’s calendar is paid', CREATE, 'where id = ${id} and case_id = ${caseId} for key share', 'where id = ${id} and ${caseId} > 0 for key share', PEOPLE),
  text('a line that is over is asked for again', CREATE, "if (payment.status !== 'planned')", "if (payment.status === '')", PEOPLE),
  schema('two requests for one line of the calendar', 'drop index disbursement_request_scheduled_payment_idx', REQUESTS, PEOPLE, CASES),
  text('view_drs lists what it may not open', `${M}/disbursement-access.ts`, "anyOf([seesCase, adminHolds(reader.id, 'view_drs')])", 'seesCase', REQUESTS),
  text('view_drs opens what it does not list', `${M}/disbursement-access.ts`, "adminHolds(reader.id, 'view_drs', 'view_all_cases')", "adminHolds(reader.id, 'view_all_cases')", REQUESTS, 'test/admin/disbursements/disbursements.test.ts'),
  text('the list of requests is for whoever asks', `${M}/disbursement-access.ts`, "adminHolds(reader.id, 'view_drs', 'view_all_cases')", 'sql`true`', REQUESTS, PEOPLE, 'test/admin/disbursements/disbursements.test.ts'),
  text('a request of a foreign case is listed by its case', `${M}/disbursement-access.ts`, 'if (found.length === 0) throw new NotFoundError();', '', REQUESTS),
  text('approvals stay with a closed account', `${M}/reassign-approvals.ts`, "sql`approver.status = 'active' and ", 'sql`', HANDED_ON),
  text('approvals stay with whoever has left', `${M}/reassign-approvals.ts`, 'p.user_id = approver.id and p.left_at is null', 'p.user_id = approver.id', HANDED_ON),
  text('what waits for staff in vain is handed on by nobody', `${M}/reassign-approvals.ts`, 'user_id === undefined ? WAITS_FOR_STAFF_IN_VAIN', 'user_id === undefined ? sql`false`', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('a case’s calendar says “requested” of others’ drafts', 'modules/cases/list-scheduled-payments.ts', " and ${known}", '', 'test/admin/disbursements/every-state.test.ts'),
  text('the list of payments says “requested” of others’ drafts', 'modules/banking/list-payments.ts', " and ${known}", '', 'test/admin/disbursements/every-state.test.ts'),
  text('the list of payments names others’ drafts', 'modules/banking/list-payments.ts', 'case when ${named} then d.id end', 'd.id', 'test/admin/disbursements/every-state.test.ts'),
  schema('the table lets somebody decide by an address that they gave another', 'drop trigger disbursement_request_takes_its_own_checker on disbursement_request', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('whose address others have changed stays asked', `${M}/reassign-approvals.ts`, ' and ${mayBeSecond(sql`d.approver_id`, MAKERS)}', '', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('staff whose address others have changed are listed as asked', `${M}/list-disbursements.ts`, 'and ${mayBeSecond(id, MAKERS)}', '', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('another address hands on nothing', 'modules/accounts/people/change-address.ts', "    await enqueue(tx, 'hand_on_approvals', { user_id: user.id });\n", '', 'test/admin/account/takeover.test.ts'),
  text('nobody is told of an approval that was handed on', `${M}/reassign-approvals.ts`, "await announceDisbursement(tx, request, 'submitted', now);", '', HANDED_ON),
  text('a paid request leaves its line planned', `${M}/settle-disbursements.ts`, 'if (scheduled_payment_id !== null) await markScheduledPaymentPaid(tx, scheduled_payment_id, now);', '', CASES),
  text('a returned request leaves its line paid', `${M}/settle-disbursements.ts`, 'if (scheduled_payment_id !== null) await reopenScheduledPayment(tx, scheduled_payment_id);', '', CASES),
  text('a return gives nothing back to the case', `${M}/settle-disbursements.ts`, "await postLedger(tx, { kind, case_id", "if (id < 0) await postLedger(tx, { kind, case_id", LEDGER, REQUESTS),
  text('a request is paid twice in one batch', `${M}/settle-disbursements.ts`, 'if (wanted.size !== ids.length)', 'if (wanted.size > ids.length)', PEOPLE),
  text('requests that are not there are left out of a batch in silence', `${M}/settle-disbursements.ts`, 'if (locked.length !== wanted.size) throw new NotFoundError();', '', 'test/admin/batches/batches.test.ts'),
  text('more is recorded as paid back than there is', `${M}/ledger/record-cash-entry.ts`, "if (kind === 'refund') await requireFunds(tx, caseId, amount_cents);", '', CASE_MONEY),
  text('a deposit that is sent twice is there twice', `${M}/ledger/record-cash-entry.ts`, '{ userId: by.actor.id, key, hashRequest }', '{ userId: by.actor.id, key: undefined, hashRequest }', CASE_MONEY),
  text('a deposit leaves no entry in the audit log', `${M}/ledger/record-cash-entry.ts`, 'await recordAudit(tx, {', 'if (tx === undefined) await recordAudit(tx, {', CASE_MONEY),
  text('nothing may be asked for', 'words/money.ts', 'cents >= 1 &&', 'cents >= 0 &&', FIELDS, LIMITS),
  text('one cent is too little', 'words/money.ts', 'cents >= 1 &&', 'cents >= 2 &&', FIELDS, LIMITS),
  text('a cent over the largest amount is taken', 'words/limits.ts', 'CENTS_MAX = 9_999_999_999', 'CENTS_MAX = 10_000_000_000', LIMITS),
  text('the largest amount is refused', 'words/limits.ts', 'CENTS_MAX = 9_999_999_999', 'CENTS_MAX = 9_999_999_998', LIMITS),
  text('101 characters of a category are taken', 'words/limits.ts', 'CATEGORY_MAX = 100', 'CATEGORY_MAX = 101', LIMITS),
  text('100 characters of a category are refused', 'words/limits.ts', 'CATEGORY_MAX = 100', 'CATEGORY_MAX = 99', LIMITS),
  text('2,001 characters of a description are taken', 'words/limits.ts', 'DESCRIPTION_MAX = 2000', 'DESCRIPTION_MAX = 2001', LIMITS),
  text('2,000 characters of a description are refused', 'words/limits.ts', 'DESCRIPTION_MAX = 2000', 'DESCRIPTION_MAX = 1999', LIMITS),
  text('formulas reach spreadsheets', 'lib/human-text.ts', '/^[=+\\-@]/', '/^[=]/', LIMITS),
  text('a formula behind a space reaches spreadsheets', 'lib/human-text.ts', ".normalize('NFKC').trimStart()", ".normalize('NFKC')", 'lib/human-text.test.ts'),
  text('somebody is mailed about what was taken back', `${M}/announce-disbursement.ts`, "status === 'draft' || status === 'cancelled'", "status === 'draft' || status === 'denied'", MAILS),
  text('an approval is told to who has left', `${M}/announce-disbursement.ts`, "and p.left_at is null and u.status = 'active'\n               and u.user_type in", "and u.status = 'active' and u.user_type in", MAILS),
  text('an approval is told to a closed account', `${M}/announce-disbursement.ts`, "p.left_at is null and u.status = 'active'\n               and u.user_type in", 'p.left_at is null and u.user_type in', MAILS),
  text('a request is told to a closed account', `${M}/announce-disbursement.ts`, "u.id = ${id} and u.status = 'active'`", 'u.id = ${id}`', MAILS),
  text('what becomes of a request is told to a closed account', `${M}/announce-disbursement.ts`, "where u.status = 'active'\n           and (u.id", 'where (u.id', MAILS),
  text('a writer who has left is told of the payment', `${M}/announce-disbursement.ts`, 'u.id = ${about.maker_id} and ${caseIsVisibleToUser(sql`u`)}', 'u.id = ${about.maker_id}', 'test/worker/payment-mails.test.ts'),
  text('the Escrow Specialist is not told of a denial', `${M}/announce-disbursement.ts`, 'listMakerAnd(db, about, about.escrow_specialist_id)', 'listMakerAnd(db, about, null)', MAILS),
  text('makers are asked to approve', `${M}/announce-disbursement.ts`, ' and ${mayBeSecond(sql`u.id`, MAKERS)}', '', MAILS),
  text('surrogates read what the parents have', `${M}/ledger/balance-access.ts`, "user_type === 'surrogate' ? sql`false` : sql`true`", 'sql`true`', CASES),
  text('any member of staff reads what a case has', `${M}/ledger/balance-access.ts`, "adminHolds(id, 'view_drs', 'view_case_details', 'make_payments')", 'sql`true`', CASES, PEOPLE),
  text('a picture that says where it was taken is opened to all', `${M}/disbursement-files.ts`, 'const isOpen = file', 'const isOpen = true || file', RECEIPTS),
  text('anyone who sees a request adds receipts', `${M}/disbursement-files.ts`, `requireMaker(locked, actor);\n  if`, 'if', RECEIPTS),
  text('a decided request takes receipts', `${M}/disbursement-files.ts`, "if (locked.status !== 'draft' && locked.status !== 'submitted')", "if (locked.status === 'cancelled')", RECEIPTS),
  text('a request that was sent loses receipts', `${M}/disbursement-files.ts`, "if (locked.status !== 'draft')\n      throw new ConflictError('You can’t remove", "if (locked.status === 'paid')\n      throw new ConflictError('You can’t remove", RECEIPTS),
  text('21 receipts', 'words/limits.ts', 'RECEIPTS_MAX = 20', 'RECEIPTS_MAX = 21', RECEIPTS),
  text('19 receipts at most', 'words/limits.ts', 'RECEIPTS_MAX = 20', 'RECEIPTS_MAX = 19', RECEIPTS),
  text('a receipt of another request is removed', `${M}/disbursement-files.ts`, 'where id = ${fileId} and disbursement_id = ${id} returning', 'where id = ${fileId} and ${id} > 0 returning', RECEIPTS),
  text('over a benefit nobody has to say why', APPROVE, 'if (seen.decision_reason === null) throw', 'if (seen.decision_reason === undefined) throw', BENEFITS),
  text('what goes further over than was seen is approved', APPROVE, 'seen.over_by_cents < over_by_cents', 'seen.over_by_cents < 0', BENEFITS),
  text('what is only asked for takes nothing of a benefit', `${M}/benefits/benefit.ts`, "in ('submitted', 'approved', 'batched', 'paid')", "in ('approved', 'batched', 'paid')", BENEFITS),
  text('a month of a benefit begins at midnight in Greenwich', `${M}/benefits/benefit.ts`, 'at time zone ${BANK_ZONE}', "at time zone 'UTC'", BENEFITS),
  text('a request counts against its benefit twice', `${M}/benefits/benefit.ts`, 'd.id is distinct from ${besides}', '(${besides} is null or true)', BENEFITS),
  text('capitals lead past a benefit', `${M}/benefits/benefit.ts`, 'lower(d.category) = lower(b.category)', 'd.category = b.category', BENEFITS),
  text('benefits are set on cases that are not seen', `${M}/benefits/set-benefits.ts`, 'locked === undefined || (await findCase(tx, actor, caseId)) === null', 'locked === undefined', BENEFITS),
  text('benefits of a closed case are set', `${M}/benefits/set-benefits.ts`, 'requireOpenCase(locked);', '', BENEFITS),
  text('benefits leave no entry in the audit log', `${M}/benefits/set-benefits.ts`, 'await recordAudit(tx, {', 'if (tx === undefined) await recordAudit(tx, {', BENEFITS),
];
