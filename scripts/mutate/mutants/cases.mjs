import { schema, text } from './write.mjs';

const M = 'modules/cases';
const ACCESS = `${M}/explain-case-access.test.ts`;
const PAGE = ['test/admin/cases/cases.test.ts', 'test/admin/cases/case-people.test.ts'];
const LIST = 'test/api/cases/cases-list.test.ts';
const API = 'test/api/cases/cases.test.ts';
const STATUS = 'test/admin/cases/case-status.test.ts';
const PEOPLE = 'test/api/disbursements/disbursement-people.test.ts';
const REQUESTS = ['test/api/disbursements/disbursements.test.ts', 'test/api/disbursements/disbursement-life.test.ts'];
const HANDED_ON = 'test/admin/disbursements/approvals-handed-on.test.ts';
const CASE_MONEY = 'test/admin/cases/case-money.test.ts';
const MAILS = 'test/worker/money-mails.test.ts';
const DOCUMENTS = 'test/api/cases/uploads-case-documents.test.ts';

/** Cases: who sees them, who is on them, what may be done to them. */
// biome-ignore format: a mutant a line
export const CASES = [
  text('who has left a case still sees it', `${M}/case-access.ts`, '${row}.user_id = ${reader.id} and ${row}.left_at is null', '${row}.user_id = ${reader.id}', ACCESS, LIST, PAGE),
  text('who works for another agency keeps the former one’s cases', `${M}/case-access.ts`, "if (user_type !== 'cm' && user_type !== 'owner') return NO_SQL;", "if (user_type !== 'owner') return NO_SQL;", ACCESS),
  text('an owner sees the cases of all agencies', `${M}/case-access.ts`, '${row}.agency_id = ${agency_id}', '${row}.agency_id is not null and ${agency_id}::bigint is not null', ACCESS, LIST),
  text('the agency’s case managers see all of its cases', `${M}/case-access.ts`, "user_types: ['owner'],", "user_types: ['owner', 'cm'],", ACCESS, LIST),
  text('the Escrow Specialist does not see the case', `${M}/case-access.ts`, '${row}.escrow_specialist_id = ${id}', '${row}.escrow_specialist_id = ${id} and false', ACCESS, LIST),
  text('any admin is on the team', `${M}/case-access.ts`, '    case_id: sql`case_id`,\n    where: (row, { id }) => sql`${row}.user_id = ${id}`,', '    case_id: sql`case_id`,\n    where: (_row, { id }) => sql`${id} > 0`,', ACCESS, LIST),
  text('any admin sees all cases', `${M}/case-access.ts`, "adminHolds(id, 'view_all_cases')", 'sql`${id} > 0`', ACCESS, LIST),
  text('“my cases” are all cases', `${M}/case-access.ts`, "!mine || name !== 'view_all_cases'", "mine || name !== ''", PAGE),
  text('a closed account is the designated approver', `${M}/designated-approver.ts`, "u.id = candidate.user_id and u.status = 'active'", 'u.id = candidate.user_id', HANDED_ON, PEOPLE),
  text('somebody who has left is the designated approver', `${M}/designated-approver.ts`, 'where p.case_id = c.id and p.user_id = u.id and p.left_at is null', 'where p.case_id = c.id and p.user_id = u.id', HANDED_ON, PEOPLE),
  text('a maker is the designated approver', `${M}/designated-approver.ts`, 'and ${mayBeSecond(sql`u.id`, makers)}', 'and (${makers}::bigint[] is null or true)', PEOPLE, REQUESTS, HANDED_ON),
  text('anybody on the case is the designated approver', `${M}/designated-approver.ts`, "where (u.user_type = 'ip' or candidate.position < 0)", "where (u.user_type <> '')", REQUESTS, HANDED_ON, API),
  text('an admin off the team is the designated approver', `${M}/designated-approver.ts`, "u.user_type = 'admin' and ${staffMayDecide(sql`candidate.user_id`)} or", "u.user_type = 'admin' or", HANDED_ON, PEOPLE),
  text('staff who may not approve are asked to', `${M}/designated-approver.ts`, "${adminHolds(admin, 'approve_drs')} and ", '', 'test/admin/inbox/chains-handed-on.test.ts'),
  text('another agency’s people are added to a case', `${M}/case-participants.ts`, '    checkSameAgency(found, await holdAgency(tx, person));\n', '', PAGE),
  text('who leaves a case stays its approver', `${M}/case-participants.ts`, '  await query(tx, sql`update case_file set approver_id = null where id = ${caseId} and approver_id = ${userId}`);\n', '', HANDED_ON),
  text('somebody is on a case twice', `${M}/case-participants.ts`, 'if (added.length === 0) throw', 'if (added.length < 0) throw', PAGE),
  text('a case ends with money under way', `${M}/change-case-status.ts`, "if (to === 'closed' || to === 'cancelled') await checkNoMoneyUnderWay(tx, id);", '', STATUS),
  ...['submitted', 'approved', 'batched'].map((status) => text(`a case ends while a request is ${status}`, `${M}/change-case-status.ts`, `'${status}'`, "'none'", STATUS)),
  text('edit_case_details reopens a case', `${M}/change-case-status.ts`, '!from.includes(status) ||', '', STATUS),
  text('a case moves anywhere', `${M}/change-case-status.ts`, ' || !CASE_MOVES[status].includes(to)', '', STATUS),
  text('what was planned in a case that has ended is due', 'modules/banking/list-payments.ts', " and c.status not in ('closed', 'cancelled')`", '`', STATUS),
  schema('a calendar does not follow its case', 'drop trigger case_file_marks_its_calendar on case_file', STATUS),
  text('an agency leaves while its people are on the case', `${M}/update-case.ts`, 'if (staying.length > 0)', 'if (staying.length < 0)', PAGE),
  text('anybody is set as approver', `${M}/update-case.ts`, 'if (approver_id != null && approver_id !== before.approver_id) await checkApprover(tx, caseId, approver_id);', '', PAGE, PEOPLE),
  text('a parent who has left is set as approver', `${M}/update-case.ts`, 'p.case_id = c.id and p.user_id = u.id and p.left_at is null', 'p.case_id = c.id and p.user_id = u.id', PAGE, PEOPLE),
  text('an admin off the team is set as approver', `${M}/update-case.ts`, "u.user_type = 'admin' and ${staffMayDecide(sql`u.id`)} or", "u.user_type = 'admin' or", PAGE, PEOPLE),
  text('a case gets a specialist who may not answer', `${M}/update-case.ts`, "!(await findPermissions(tx, userId)).has('view_messages')", 'false', PAGE, 'test/admin/inbox/messages-work.test.ts'),
  text('a milestone is there twice', `${M}/add-milestone.ts`, "if (!isUniqueViolation(error, 'case_milestone_once_idx')) throw error;", 'throw error;', PAGE, API),
  text('any milestone asks the parents for money', `${M}/add-milestone.ts`, "if (kind !== 'pregnancy_confirmed') {", "if (kind === 'other') {", API, PAGE),
  text('nobody is asked to fund a pregnancy', `${M}/add-milestone.ts`, 'if (funding_required_cents !== null) await enqueue', 'if (funding_required_cents === 0) await enqueue', MAILS),
  text('a line is planned for somebody who has left', `${M}/scheduled-payments.ts`, 'and user_id = ${userId} and left_at is null', 'and user_id = ${userId}', PEOPLE, CASE_MONEY),
  text('a line that is asked for is struck out', `${M}/scheduled-payments.ts`, 'if (payment.is_requested) throw', 'if (payment.status === null) throw', API, CASE_MONEY),
  text('a line of another case is struck out', `${M}/scheduled-payments.ts`, 'where s.id = ${id} and s.case_id = ${caseId} for update', 'where s.id = ${id} and ${caseId} > 0 for update', CASE_MONEY, API),
  text('every payment is the last of its category', `${M}/scheduled-payments.ts`, 'if (left.length === 0)\n', 'if (left.length >= 0)\n', MAILS),
  text('the last of any category is awaited', `${M}/scheduled-payments.ts`, "case_id = ${paid.case_id} and category = ${paid.category}\n           and status = 'planned' limit 1", "case_id = ${paid.case_id} and ${paid.category} <> '' and status = 'planned' limit 1", MAILS),
  text('anyone who sees a document removes it', `${M}/case-documents.ts`, 'row.uploader_id !== user.id && !(await mayEditCase(tx, user))', 'row.uploader_id < 0', DOCUMENTS),
  text('who has left meanwhile adds a document', `${M}/case-documents.ts`, 'if (!(await canAccessCase(tx, user, caseId))) throw new NotFoundError();\n      const', 'const', DOCUMENTS),
  text('a document’s place is shown to all', `${M}/case-documents.ts`, 'const open = own ||', 'const open = true || own ||', DOCUMENTS),
  text('any admin removes documents', `${M}/case-documents.ts`, "user.user_type === 'admin' && (await findAdminRights(db, user.id)).permissions.has('edit_case_details')", "user.user_type === 'admin'", DOCUMENTS),
];
