import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { listOf, query, sql, trustedSql } from '@case-platform/lib/sql';
import { findPermissions } from '@case-platform/modules/accounts';
import { type LockedCase, lockCase } from './lock-case.ts';
import { parseCaseDay, parseCaseName, requireActiveAdmin, requireAgency } from './parse-case-fields.ts';
import { requireDistinctNames } from './people/announce-name.ts';
import { staffMayDecide } from './people/designated-approver.ts';

export interface CaseChange {
  name?: string;
  agency_id?: number | null;
  /** The approver of the case's requests; null for its first parent (APPROVER-1). */
  approver_id?: number | null;
  /** The day by which the case has to be closed, `YYYY-MM-DD`; null for none. */
  close_due_on?: string | null;
}

/**
 * Changes the given details of a case; without a difference it writes nothing.
 * @param leaveAgency removes the former agency's owners from conversations of a case that moved to another agency, in the same
 * transaction.
 * @throws {NotFoundError} @throws {InvalidInputError} for an invalid value, such as an approver who is neither a parent or
 * parents' representative on this case, nor staff who see it and may approve (APPROVER-2).
 * @throws {ConflictError} for another agency while people of the current one are on the case.
 */
export async function updateCase(
  db: Database,
  caseId: number,
  change: CaseChange,
  by: ChangedBy,
  leaveAgency: (tx: Transaction, formerAgencyId: number | null) => Promise<unknown>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await lockCase(tx, caseId);
    const newValues: CaseChange = {
      ...change,
      ...(change.name === undefined ? {} : { name: parseCaseName(change.name) }),
      ...(change.close_due_on == null ? {} : { close_due_on: parseCaseDay('close_due_on', change.close_due_on) }),
    };
    const moves = newValues.agency_id !== undefined && newValues.agency_id !== before.agency_id;
    if (moves) await requireAgencyCanChange(tx, before, newValues.agency_id ?? null);
    const { approver_id } = newValues;
    if (approver_id != null && approver_id !== before.approver_id) await requireEligibleApprover(tx, caseId, approver_id);
    await writeChange(tx, before, newValues, { by, action: 'case.update' });
    if (moves) await leaveAgency(tx, before.agency_id);
  });
}

/**
 * Sets or removes the case's escrow specialist. New conversations go to the new one; existing ones stay with their admin
 * (CASE-11), except those that this admin started (`reassignStartedChains`). The caller's transaction also reassigns requests
 * that waited for the former specialist's approval.
 * @throws {NotFoundError} @throws {InvalidInputError} for anyone except an active admin with `view_messages`, because new
 * conversations go to them.
 */
export async function setEscrowSpecialist(tx: Transaction, caseId: number, userId: number | null, by: ChangedBy): Promise<void> {
  const before = await lockCase(tx, caseId);
  if (userId !== null) {
    await requireActiveAdmin(tx, 'escrow_specialist_id', userId);
    if (!(await findPermissions(tx, userId)).has('view_messages')) {
      throw invalid('escrow_specialist_id', 'Their role can’t read or write messages.');
    }
  }
  await writeChange(tx, before, { escrow_specialist_id: userId }, { by, action: 'case.assign' });
  await requireDistinctNames(tx, caseId, 'escrow_specialist_id');
}

type Columns = CaseChange & { escrow_specialist_id?: number | null };

async function writeChange(
  tx: Executor,
  before: LockedCase,
  newValues: Columns,
  { by, action }: { by: ChangedBy; action: 'case.update' | 'case.assign' },
): Promise<void> {
  const names = (Object.keys(newValues) as (keyof Columns)[]).filter(
    (name) => newValues[name] !== undefined && newValues[name] !== before[name],
  );
  if (names.length === 0) return;
  const after = Object.fromEntries(names.map((name) => [name, newValues[name]]));
  const changes = names.map((name) => sql`${trustedSql(name)} = ${newValues[name] ?? null}`);
  if (newValues.name !== undefined && names.includes('name'))
    changes.push(sql`search = ${searchVector(newValues.name)}::tsvector, search_version = ${SEARCH_VERSION}`);
  await query(tx, sql`update case_file set ${listOf(changes)}, updated_at = now() where id = ${before.id}`);
  await recordAudit(tx, {
    ...by,
    action,
    subject_id: before.id,
    subject_label: newValues.name ?? before.name,
    case_id: before.id,
    before: Object.fromEntries(names.map((name) => [name, before[name]])),
    after,
  });
}

/** People of an agency see a case through it, so they leave the case before the agency does. */
async function requireAgencyCanChange(tx: Executor, { id, agency_id }: LockedCase, agencyId: number | null): Promise<void> {
  await requireAgency(tx, agencyId);
  const staying = await query(
    tx,
    sql`select u.id from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${id} and p.left_at is null and u.user_type in ('cm', 'owner')
           and u.agency_id = ${agency_id} limit 1`,
  );
  if (staying.length > 0)
    throw new ConflictError('People from the current agency are on this case. Remove them first.', 'agency_in_use');
}

async function requireEligibleApprover(tx: Executor, caseId: number, userId: number): Promise<void> {
  const approvers = await query(
    tx,
    sql`select u.id from user_account u
       join case_file c on c.id = ${caseId}
      where u.id = ${userId} and u.status = 'active'
        and (u.user_type = 'admin' and ${staffMayDecide(sql`u.id`)} or u.user_type in ('ip', 'ip_rep') and exists (
        select from case_participant p where p.case_id = c.id and p.user_id = u.id and p.left_at is null))`,
  );
  if (approvers.length === 0)
    throw invalid(
      'approver_id',
      'Choose a parent on this case, their representative, or staff who see it and can approve requests.',
    );
}
