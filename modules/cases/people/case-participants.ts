import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import { displayName, findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { type LockedCase, lockCase, touchCase } from '../lock-case.ts';
import { requireDistinctNames } from './announce-name.ts';

/**
 * Adds a person to a case by address and type, because every lookup uses both (LAYER-2). Someone who left comes back;
 * conversations that they left stay closed to them (CHAIN-16).
 * @throws {NotFoundError} for an unknown case. @throws {InvalidInputError} for an unknown person, for staff, and for people of
 * another agency than the case's. @throws {ConflictError} for someone who is already on the case.
 */
export async function addParticipant(
  db: Database,
  caseId: number,
  pair: { email_address: string; user_type: UserType },
  by: ChangedBy,
): Promise<void> {
  if (pair.user_type === 'admin') throw invalid('user_type', 'Add staff to the case’s team instead.');
  await db.transaction(async (tx) => {
    const caseFile = await lockCase(tx, caseId);
    const person = await findActiveUser(tx, { ...pair, email_address: normalizeEmail(pair.email_address) });
    if (person === null) throw invalid('email_address', 'No active account has this address in this role.');
    requireSameAgency(caseFile, await lockAgency(tx, person));
    const rows = await query(
      tx,
      sql`insert into case_participant (case_id, user_id, position)
          values (${caseId}, ${person.id},
                  (select coalesce(max(position), 0) + 1 from case_participant where case_id = ${caseId}))
          on conflict (case_id, user_id) do update
             set left_at = null, joined_at = now(), position = excluded.position
           where case_participant.left_at is not null
          returning user_id`,
    );
    if (rows.length === 0) throw new ConflictError(`${displayName(person)} is already on this case.`, 'on_case');
    await requireDistinctNames(tx, caseId, 'email_address');
    await touchCase(tx, caseId);
    await record(tx, caseFile, by, { action: 'case.add_person', after: describe(person) });
  });
}

/**
 * Removes a person from a case, in the transaction in which they also leave its conversations (CHAIN-16). They stop being its
 * approver.
 * @throws {NotFoundError} for someone who is not on the case.
 */
export async function removeParticipant(tx: Transaction, caseId: number, userId: number, by: ChangedBy): Promise<void> {
  const caseFile = await lockCase(tx, caseId);
  const [person] = await query<User>(
    tx,
    sql`update case_participant p set left_at = now() from user_account u
         where u.id = p.user_id and p.case_id = ${caseId} and p.user_id = ${userId} and p.left_at is null
         returning u.id, u.email_address, u.user_type, u.first_name, u.last_name`,
  );
  if (person === undefined) throw new NotFoundError();
  await query(tx, sql`update case_file set approver_id = null where id = ${caseId} and approver_id = ${userId}`);
  await touchCase(tx, caseId);
  await record(tx, caseFile, by, { action: 'case.remove_person', before: describe(person) });
}

/** Locks a person's agency until the end of the transaction, so that a change of agency waits and then sees them on the case. */
async function lockAgency(tx: Executor, person: User): Promise<User> {
  const [row] = await query<Pick<User, 'agency_id'>>(
    tx,
    sql`select agency_id from user_account where id = ${person.id} for share`,
  );
  return { ...person, ...row };
}

function requireSameAgency({ agency_id }: LockedCase, { user_type, agency_id: theirs }: User): void {
  if (user_type !== 'cm' && user_type !== 'owner') return;
  if (agency_id === null || theirs !== agency_id)
    throw invalid('email_address', 'This person works for another agency. Change the case’s agency first.');
}

function describe(person: Pick<User, 'id' | 'user_type' | 'first_name' | 'last_name' | 'email_address'>) {
  return { user_id: person.id, user_type: person.user_type, name: displayName(person) };
}

type Change =
  | { action: 'case.add_person'; after: Record<string, unknown> }
  | { action: 'case.remove_person'; before: Record<string, unknown> };

function record(tx: Executor, { id, name }: LockedCase, by: ChangedBy, change: Change): Promise<void> {
  return recordAudit(tx, { ...by, ...change, subject_id: id, subject_label: name, case_id: id });
}
