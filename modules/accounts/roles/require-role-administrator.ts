import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from './admin-has-permission.ts';

const ROLE_MANAGERS_LOCK = 7_214_010_006;

/**
 * Makes sure that an active admin who manages roles is left, or nobody could ever give a role again. Call it in a change's
 * transaction, after the change: changes that could take the last one away then come one after the other, and each sees
 * what those before it have left.
 * @throws {ConflictError} `last_role_manager` when nobody is left; the change has to be given up.
 */
export async function requireRoleAdministrator(tx: Transaction): Promise<void> {
  await query(tx, sql`select pg_advisory_xact_lock(${ROLE_MANAGERS_LOCK})`);
  const [left] = await query(
    tx,
    sql`select from user_account u where u.status = 'active' and ${adminHasPermission(sql`u.id`, 'manage_roles')} limit 1`,
  );
  if (left === undefined) {
    throw new ConflictError(
      'Someone has to be able to manage roles. Give another colleague such a role first.',
      'last_role_manager',
    );
  }
}
