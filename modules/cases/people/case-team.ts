import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { lockCase, touchCase } from '../lock-case.ts';
import { requireActiveAdmin } from '../parse-case-fields.ts';
import { requireDistinctNames } from './announce-name.ts';

export interface TeamMember {
  user_id: number;
  name: string;
  role_name: string | null;
}

/** The admins on a case's team, by name. The escrow specialist is included only if they were added. */
export async function listCaseTeam(db: Executor, caseId: number): Promise<TeamMember[]> {
  return query<TeamMember>(
    db,
    sql`select u.id as user_id, ${fullName(sql`u`)} as name,
               r.name as role_name
          from case_admin a join user_account u on u.id = a.user_id left join admin_role r on r.id = u.admin_role_id
         where a.case_id = ${caseId} and u.status = 'active' order by 2, 1`,
  );
}

/**
 * Adds an admin to a case's team, so that they see the case and its conversations.
 * @throws {NotFoundError} @throws {InvalidInputError} for anyone except an active admin. @throws {ConflictError} for a member.
 */
export async function addToTeam(db: Database, caseId: number, userId: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const caseFile = await lockCase(tx, caseId);
    const name = await requireActiveAdmin(tx, 'admin_id', userId);
    const rows = await query(
      tx,
      sql`insert into case_admin (case_id, user_id) values (${caseId}, ${userId}) on conflict do nothing
          returning user_id`,
    );
    if (rows.length === 0) throw new ConflictError(`${name} is already on the team.`, 'on_team');
    await requireDistinctNames(tx, caseId, 'admin_id');
    await touchCase(tx, caseId);
    await recordAudit(tx, {
      ...by,
      action: 'case.add_to_team',
      subject_id: caseId,
      subject_label: caseFile.name,
      case_id: caseId,
      after: { user_id: userId, name },
    });
  });
}

/**
 * Removes an admin from a case's team, in the transaction that also reassigns requests waiting for their approval. Conversations
 * assigned to them stay theirs, except those that they started (`reassignStartedChains`).
 * @throws {NotFoundError}
 */
export async function removeFromTeam(tx: Transaction, caseId: number, userId: number, by: ChangedBy): Promise<void> {
  const caseFile = await lockCase(tx, caseId);
  const [member] = await query<{ name: string }>(
    tx,
    sql`delete from case_admin a using user_account u
         where u.id = a.user_id and a.case_id = ${caseId} and a.user_id = ${userId}
         returning ${fullName(sql`u`)} as name`,
  );
  if (member === undefined) throw new NotFoundError();
  await touchCase(tx, caseId);
  await recordAudit(tx, {
    ...by,
    action: 'case.remove_from_team',
    subject_id: caseId,
    subject_label: caseFile.name,
    case_id: caseId,
    before: { user_id: userId, name: member.name },
  });
}
