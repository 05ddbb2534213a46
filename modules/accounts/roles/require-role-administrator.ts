import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from './admin-has-permission.ts';

const ROLE_MANAGERS_LOCK = 7_214_010_006;

/**
 * Requires that an active admin who manages roles is left (ROLE-6). Call it in the transaction of a change, after the change:
 * such changes then run one after the other, and each sees the results of those before it.
 * @throws {ConflictError} `last_role_manager` if no one is left; the transaction has to be rolled back.
 */
export async function requireRoleAdministrator(tx: Transaction): Promise<void> {
  await query(tx, sql`select pg_advisory_xact_lock(${ROLE_MANAGERS_LOCK})`);
  const [manager] = await query(
    tx,
    sql`select from user_account u where u.status = 'active' and ${adminHasPermission(sql`u.id`, 'manage_roles')} limit 1`,
  );
  if (manager === undefined) {
    throw new ConflictError(
      'Someone has to be able to manage roles. Give another colleague such a role first.',
      'last_role_manager',
    );
  }
}
