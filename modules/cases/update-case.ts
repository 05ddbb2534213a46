import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { listOf, query, sql, trustedSql } from '@case-platform/lib/sql';
import { findPermissions } from '@case-platform/modules/accounts';
import { refuseSameNames } from './announce-name.ts';
import { checkAdmin, checkAgency, checkCaseName, checkDay } from './check-case-fields.ts';
import { staffMayDecide } from './designated-approver.ts';
import { type LockedCase, lockCase } from './lock-case.ts';

export interface CaseChange {
  name?: string;
  agency_id?: number | null;
  /** Who approves the case's requests; null: its first parent. */
  approver_id?: number | null;
  /** YYYY-MM-DD, when the case is to be closed; null: no such day. */
  close_due_on?: string | null;
}

/**
 * Changes what is given of a case's details, and nothing when all of it is so already.
 * @throws {NotFoundError} @throws {InvalidInputError} for a value that cannot be, such as an approver who is neither a parent
 * or parents' representative of this case nor staff who see it and may approve. @throws {ConflictError} for another agency
 * while people of the present one are on it.
 * @param leaveAgency ends, in the same transaction, what the former agency's owners had of a case that has moved to another one.
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
    const wanted: CaseChange = {
      ...change,
      ...(change.name === undefined ? {} : { name: checkCaseName(change.name) }),
      ...(change.close_due_on == null ? {} : { close_due_on: checkDay('close_due_on', change.close_due_on) }),
    };
    const moves = wanted.agency_id !== undefined && wanted.agency_id !== before.agency_id;
    if (moves) await checkNewAgency(tx, before, wanted.agency_id ?? null);
    const { approver_id } = wanted;
    if (approver_id != null && approver_id !== before.approver_id) await checkApprover(tx, caseId, approver_id);
    await writeChange(tx, before, wanted, { by, action: 'case.update' });
    if (moves) await leaveAgency(tx, before.agency_id);
  });
}

/**
 * Gives the case to another Escrow Specialist, or to none. New chains of the case go to the new one. Existing chains keep the
 * admin they are assigned to until someone reassigns them, except those that this admin started (`reassignStartedChains`). The
 * caller's transaction also hands on what waits for the former specialist's approval.
 * @throws {NotFoundError} @throws {InvalidInputError} for anyone but an active admin who may answer conversations: the case's new
 * ones go to them.
 */
export async function setEscrowSpecialist(
  tx: Transaction,
  caseId: number,
  userId: number | null,
  by: ChangedBy,
): Promise<void> {
  const before = await lockCase(tx, caseId);
  if (userId !== null) {
    await checkAdmin(tx, 'escrow_specialist_id', userId);
    if (!(await findPermissions(tx, userId)).has('view_messages')) {
      throw invalid('escrow_specialist_id', 'Their role can’t read or write messages.');
    }
  }
  await writeChange(tx, before, { escrow_specialist_id: userId }, { by, action: 'case.assign' });
  await refuseSameNames(tx, caseId, 'escrow_specialist_id');
}

type Columns = CaseChange & { escrow_specialist_id?: number | null };

async function writeChange(
  tx: Executor,
  before: LockedCase,
  wanted: Columns,
  { by, action }: { by: ChangedBy; action: 'case.update' | 'case.assign' },
): Promise<void> {
  const names = (Object.keys(wanted) as (keyof Columns)[]).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== before[name],
  );
  if (names.length === 0) return;
  const after = Object.fromEntries(names.map((name) => [name, wanted[name]]));
  const changes = names.map((name) => sql`${trustedSql(name)} = ${wanted[name] ?? null}`);
  await query(tx, sql`update case_file set ${listOf(changes)}, updated_at = now() where id = ${before.id}`);
  await recordAudit(tx, {
    ...by,
    action,
    subject_id: before.id,
    subject_label: wanted.name ?? before.name,
    case_id: before.id,
    before: Object.fromEntries(names.map((name) => [name, before[name]])),
    after,
  });
}

/** An agency's people see a case through their agency: they leave before it does. */
async function checkNewAgency(tx: Executor, { id, agency_id }: LockedCase, wanted: number | null): Promise<void> {
  await checkAgency(tx, wanted);
  const staying = await query(
    tx,
    sql`select u.id from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${id} and p.left_at is null and u.user_type in ('cm', 'owner')
           and u.agency_id = ${agency_id} limit 1`,
  );
  if (staying.length > 0)
    throw new ConflictError('People from the current agency are on this case. Remove them first.', 'agency_in_use');
}

async function checkApprover(tx: Executor, caseId: number, userId: number): Promise<void> {
  const found = await query(
    tx,
    sql`select u.id from user_account u
       join case_file c on c.id = ${caseId}
      where u.id = ${userId} and u.status = 'active'
        and (u.user_type = 'admin' and ${staffMayDecide(sql`u.id`)} or u.user_type in ('ip', 'ip_rep') and exists (
        select from case_participant p where p.case_id = c.id and p.user_id = u.id and p.left_at is null))`,
  );
  if (found.length === 0)
    throw invalid(
      'approver_id',
      'Choose a parent on this case, their representative, or staff who see it and can approve requests.',
    );
}
