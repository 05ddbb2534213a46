import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';

/** Writes an admin's role, and reassigns work that they can no longer do. The caller checks that the change is allowed. */
export async function setRole(tx: Transaction, userId: number, roleId: number | null): Promise<void> {
  await query(tx, sql`update user_account set admin_role_id = ${roleId}, updated_at = now() where id = ${userId}`);
  await enqueue(tx, 'reassign_approvals', { user_id: userId });
  await enqueue(tx, 'reassign_chains', {});
}
