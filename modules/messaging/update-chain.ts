import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ForbiddenError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser, User } from '@case-platform/modules/accounts';
import { findPermissions } from '@case-platform/modules/accounts';
import { chainIsVisible, hasLostStartedChain } from './chain-access.ts';
import { announce } from './chain-events.ts';

export interface ChainChange {
  /** Null returns the chain to the queue. */
  assigned_admin_id?: number | null | undefined;
  status?: 'open' | 'closed' | undefined;
}

interface ChainState {
  subject: string;
  case_id: number | null;
  status: 'open' | 'closed';
  assigned_admin_id: number | null;
}

/**
 * Reassigns, closes, or reopens a chain. Only staff may; reassigning needs `reassign_threads`. Each change is one audit entry.
 * @throws {ForbiddenError} for a non-admin, and without the permission.
 * @throws {NotFoundError} for a chain that this admin does not see.
 * @throws {InvalidInputError} for an assignee who is not an active admin, whose role may not read conversations, or who
 *   started this one and no longer sees its case.
 */
export async function updateChain(db: Database, chainId: number, change: ChainChange, by: ChangedByUser): Promise<void> {
  const admin = by.actor;
  if (admin.user_type !== 'admin') throw new ForbiddenError('Staff assign and close conversations.');
  if (change.assigned_admin_id === undefined && change.status === undefined) {
    throw invalid('body', 'Name what is to change: assigned_admin_id or status.');
  }
  await db.transaction(async (tx) => {
    const [before] = await query<ChainState>(
      tx,
      sql`select c.subject, c.case_id, c.status, c.assigned_admin_id from message_chain c
        where c.id = ${chainId} and ${chainIsVisible(admin)} for update of c`,
    );
    if (before === undefined) throw new NotFoundError();
    if (change.assigned_admin_id !== undefined) await requireAssignable(tx, admin, chainId, change.assigned_admin_id);
    const { assigned_admin_id = before.assigned_admin_id, status = before.status } = change;
    if (assigned_admin_id === before.assigned_admin_id && status === before.status) return;
    await query(
      tx,
      sql`update message_chain set assigned_admin_id = ${assigned_admin_id}, status = ${status} where id = ${chainId}`,
    );
    await recordAudit(tx, {
      ...by,
      action: assigned_admin_id === before.assigned_admin_id ? `chain.${status === 'open' ? 'reopen' : 'close'}` : 'chain.assign',
      subject_id: chainId,
      subject_label: before.subject,
      case_id: before.case_id,
      before: { assigned_admin_id: before.assigned_admin_id, status: before.status },
      after: { assigned_admin_id, status },
    });
    const no_longer = before.assigned_admin_id === null ? [] : [before.assigned_admin_id];
    await announce(tx, { kind: 'chain', chain_id: chainId, no_longer });
  });
}

async function requireAssignable(tx: Transaction, admin: User, chainId: number, assigneeId: number | null): Promise<void> {
  if (!(await findPermissions(tx, admin.id)).has('reassign_threads')) {
    throw new ForbiddenError('Your role can’t assign conversations.', 'missing_permission');
  }
  if (assigneeId === null) return;
  const [assignee] = await query(
    tx,
    sql`select from user_account where id = ${assigneeId} and user_type = 'admin' and status = 'active' for key share`,
  );
  if (assignee === undefined) throw invalid('assigned_admin_id', 'Choose a colleague with an active account.');
  if (!(await findPermissions(tx, assigneeId)).has('view_messages')) {
    throw invalid('assigned_admin_id', 'Their role can’t read or write messages.');
  }
  const rows = await query(
    tx,
    sql`select from message_chain c where c.id = ${chainId} and ${hasLostStartedChain(sql`${assigneeId}::bigint`)}`,
  );
  if (rows.length > 0) {
    throw invalid('assigned_admin_id', 'They can’t see this conversation’s case. Add them to the case first.');
  }
}
