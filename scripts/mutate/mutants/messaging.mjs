import { schema, text } from './write.mjs';

const M = 'modules/messaging';
const MESSAGES = ['test/api/messaging/messages.test.ts', 'test/api/messaging/chains.test.ts'];
const CHANGES = ['test/api/messaging/chain-changes.test.ts', 'test/api/messaging/search.test.ts'];
const LIVE = 'test/api/messaging/live.test.ts';
const WORK = 'test/admin/inbox/messages-work.test.ts';
const NOTIFY = 'test/worker/notify-message.test.ts';
const LEFT = 'test/worker/who-has-left.test.ts';
const UNREAD = 'test/api/messaging/unread-model.test.ts';
const TEAM = 'test/admin/cases/case-people.test.ts';
const PLACES = 'test/api/messaging/chain-places.test.ts';
const HOME = 'test/admin/home.test.ts';
const EDGES = 'test/api/messaging/message-limits.test.ts';

/** Conversations: who sees them, where they go, and who is told. */
// biome-ignore format: a mutant a line
export const MESSAGING = [
  text('a chain without an owner is everybody’s on the staff', `${M}/chain-access.ts`, "c.assigned_admin_id is null and ${adminHolds(id, 'reassign_threads')}", 'c.assigned_admin_id is null', PLACES),
  text('a chain without an owner is nobody’s', `${M}/chain-access.ts`, "c.assigned_admin_id is null and ${adminHolds(id, 'reassign_threads')}", 'false', PLACES, MESSAGES),
  text('a member who has left still reads', `${M}/chain-access.ts`, '${group}.user_id = ${id} and ${group}.left_at is null', '${group}.user_id = ${id}', MESSAGES, PLACES),
  text('staff see the chains of every case', `${M}/chain-access.ts`, 'sql`c.case_id in (${casesOfAdmin(reader)})`', 'sql`c.case_id is not null`', PLACES, MESSAGES),
  text('staff do not list what they started', `${M}/chain-access.ts`, '  sql`c.created_by = ${id}`,\n', '', PLACES, CHANGES),
  text('live updates reach whoever is connected', `${M}/live/find-audience.ts`, 'where c.id = ${chainId} and ${chainIsVisible({ id: sql`person.id`, user_type })}', 'where c.id = ${chainId} and ${user_type} is not null', LIVE),
  text('anyone on the staff writes to a group', `${M}/plan-chain.ts`, "!(await findPermissions(db, sender.id)).has('send_group_messages')", 'false', MESSAGES),
  text('staff write to people of other cases', `${M}/plan-chain.ts`, 'else await checkInSight(db, sender, ids);', 'else void checkInSight;', PLACES, MESSAGES),
  text('staff name a case and write to people of another', `${M}/plan-chain.ts`, 'if (named !== null) await checkOnCase(db, named, ids);\n  else', 'if (named === null)', PLACES, MESSAGES),
  text('a message goes to somebody who is not on the case', `${M}/plan-chain.ts`, 'if (!ids.every((id) => people.has(id))) throw unknownRecipient();', '', MESSAGES, PLACES),
  text('a message goes to a closed account', `${M}/plan-chain.ts`, "and status = 'active' and user_type <> 'admin'", "and user_type <> 'admin'", PLACES),
  text('a recipient of another type is taken', `${M}/plan-chain.ts`, 'wanted.get(person.user_id) === person.user_type', 'wanted.has(person.user_id)', MESSAGES),
  text('people write to themselves', `${M}/plan-chain.ts`, 'if (recipients.some(({ user_id }) => user_id === sender.id)) {', 'if (recipients.length < 0) {', MESSAGES, PLACES),
  text('51 people in a chain', 'words/limits.ts', 'RECIPIENTS_MAX = 50', 'RECIPIENTS_MAX = 51', EDGES),
  text('a message of a non-admin misses the admins’ inbox', `${M}/route-message.ts`, "to_admin: sender.user_type !== 'admin'", "to_admin: sender.user_type === 'surrogate'", MESSAGES),
  text('a group’s message has a single recipient', `${M}/route-message.ts`, '!chain.is_group && recipients.length === 1', 'recipients.length >= 1', MESSAGES),
  text('one person’s view clears the mark of all', `${M}/mark-viewed.ts`, 'message_id <= ${upToMessageId} and user_id = ${user.id}\n                 and viewed is null', 'message_id <= ${upToMessageId} and ${user.id} > 0 and viewed is null', MESSAGES, UNREAD),
  text('viewing up to a message views all', `${M}/mark-viewed.ts`, 'where chain_id = ${chainId} and message_id <= ${upToMessageId}', 'where chain_id = ${chainId} and ${upToMessageId}::bigint > 0', MESSAGES, UNREAD),
  text('staff who view up to a message view all', `${M}/mark-viewed.ts`, 'where chain_id = ${chainId} and id <= ${upToMessageId}', 'where chain_id = ${chainId} and ${upToMessageId}::bigint > 0', PLACES),
  text('somebody else’s message is taken back', `${M}/retract-message.ts`, 'm.from_id = ${user.id}', '${user.id} > 0', CHANGES),
  text('a message is taken back after 25 hours', `${M}/retract-message.ts`, 'RETRACTABLE_HOURS = 24', 'RETRACTABLE_HOURS = 25', EDGES),
  text('a message is taken back for 23 hours', `${M}/retract-message.ts`, 'RETRACTABLE_HOURS = 24', 'RETRACTABLE_HOURS = 23', EDGES),
  text('a message that was taken back keeps its files', `${M}/retract-message.ts`, 'sql`delete from message_file where message_id = ${message_id} returning id`', 'sql`select id from message_file where message_id = ${message_id}`', CHANGES),
  text('a message that was taken back stays unread', `${M}/retract-message.ts`, 'set viewed = now() where message_id = ${message_id} and viewed is null', 'set viewed = viewed where message_id = ${message_id} and viewed is null', CHANGES, UNREAD),
  text('notes are everybody’s', `${M}/chain-notes.ts`, "if (admin.user_type !== 'admin') throw new ForbiddenError('Notes are for staff.');", '', CHANGES),
  text('staff read notes of chains that they do not see', `${M}/chain-notes.ts`, 'if (seen.length === 0) throw new NotFoundError();', '', CHANGES, PLACES),
  text('anyone on the staff reassigns', `${M}/update-chain.ts`, "if (!(await findPermissions(tx, admin.id)).has('reassign_threads')) {", 'if (admin.id < 0) {', CHANGES),
  text('a chain is given to a closed account', `${M}/update-chain.ts`, "and user_type = 'admin' and status = 'active'", "and user_type = 'admin'", CHANGES, WORK),
  text('a chain is given to somebody who may not answer', `${M}/update-chain.ts`, "!(await findPermissions(tx, assigneeId)).has('view_messages')", 'false', CHANGES, WORK),
  text('mail goes to who left meanwhile', `${M}/notify-message.ts`, 'g.user_id = r.user_id and g.left_at is null', 'g.user_id = r.user_id', LEFT),
  text('mail goes to an account that was closed meanwhile', `${M}/notify-message.ts`, "u.status = 'active' and u.id <> ${message.from_id}", 'u.id <> ${message.from_id}', LEFT),
  text('mail goes to the sender', `${M}/notify-message.ts`, "u.status = 'active' and u.id <> ${message.from_id}", "u.status = 'active' and ${message.from_id} > 0", LEFT),
  text('mail tells of a message that was taken back', `${M}/notify-message.ts`, 'where m.id = ${messageId} and m.retracted_at is null', 'where m.id = ${messageId}', LEFT, CHANGES),
  text('push goes to staff and non-staff alike', `${M}/notify-message.ts`, ".filter((person) => (person.user_type === 'admin') !== fromStaff)", '', NOTIFY),
  text('who leaves a case keeps its chains', `${M}/leave-chains.ts`, 'where c.case_id = ${caseId} and g.user_id = ${userId} and', 'where c.case_id = 0 and', CHANGES),
  text('who leaves a case loses every chain', `${M}/leave-chains.ts`, 'where c.case_id = ${caseId} and g.user_id', 'where ${caseId} > 0 and g.user_id', PLACES),
  text('who shares no case any more goes on without one', `${M}/leave-chains.ts`, 'c.case_id is null and g.left_at is null and ${who}', 'c.case_id is null and false and ${who}', PLACES, TEAM),
  text('who shares another case is shut out without one', `${M}/leave-chains.ts`, 'where ${caseIsVisibleToUser(sql`other`, sql`f`)}))`;', 'where false and ${caseIsVisibleToUser(sql`other`, sql`f`)}))`;', PLACES, TEAM),
  text('who leaves a case loses what staff began with people of none', `${M}/leave-chains.ts`, 'other.id <> u.id and ${to}', 'other.id <> u.id and (true or ${to})', PLACES),
  text('who leaves an agency goes on without a case', `${M}/leave-chains.ts`, 'partsWithoutCase(sql`u.id = ${moved.user_id}`, sql`true`)', 'partsWithoutCase(sql`u.id = ${moved.user_id}`, sql`false`)', TEAM),
  text('whose case moves goes on without one', `${M}/leave-chains.ts`, 'partsWithoutCase(sql`u.agency_id = ${moved.former_agency_id}`', 'partsWithoutCase(sql`u.agency_id = -${moved.former_agency_id}`', TEAM),
  text('a chain is begun with somebody who is leaving', `${M}/send-message.ts`, 'order by id for key share', 'order by id', PLACES),
  text('a non-admin takes people out of chains', `${M}/leave-chains.ts`, "if (admin.user_type !== 'admin') throw new ForbiddenError();", "if (admin.user_type === 'ip') throw new ForbiddenError();", WORK),
  text('a reply leaves a closed chain closed', `${M}/send-message.ts`, "set status = 'open', last_message_id", 'set last_message_id', CHANGES, WORK),
  text('a message is sent without its mail', `${M}/send-message.ts`, "      await enqueue(tx, 'email_message', { message_id: messageId });\n", '', NOTIFY),
  text('a message is sent without its push', `${M}/send-message.ts`, "      await enqueue(tx, 'push_message', { message_id: messageId });\n", '', NOTIFY),
  text('sending leaves what came before unread', `${M}/send-message.ts`, '      await markOthersViewed(tx, sender, sent);\n', '', MESSAGES, UNREAD),
  text('10,001 characters are a message', 'words/limits.ts', 'MESSAGE_MAX = 10_000', 'MESSAGE_MAX = 10_001', MESSAGES, EDGES),
  text('9,999 characters at most are a message', 'words/limits.ts', 'MESSAGE_MAX = 10_000', 'MESSAGE_MAX = 9_999', EDGES, MESSAGES),
  text('201 characters are a subject', 'words/limits.ts', 'SUBJECT_MAX = 200', 'SUBJECT_MAX = 201', MESSAGES, EDGES),
  text('199 characters at most are a subject', 'words/limits.ts', 'SUBJECT_MAX = 200', 'SUBJECT_MAX = 199', EDGES, MESSAGES),
  text('staff’s queue counts closed chains', `${M}/count-unassigned.ts`, "assigned_admin_id is null and status = 'open'", 'assigned_admin_id is null', HOME),
  schema('one person has two marks of a message', 'alter table message_recipient drop constraint message_recipient_pkey', UNREAD, PLACES),
];
