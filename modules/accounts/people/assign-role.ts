import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { auditOf, lockUser, refuseStronger, refuseStrongerRole, type StaffChange } from '../sign-in/lock-user.ts';
import type { User } from '../users.ts';

/** Makes sure that somebody who manages roles is left, within the transaction; throws when nobody is. */
export type KeepRoleManager = (tx: Transaction) => Promise<void>;

/**
 * Gives a role in the caller's transaction, or has it wait for another administrator's word: one that may move money
 * (decisions, section 11). @returns whether it counts now; then the caller gives it.
 */
export type GrantRole = (
  tx: Transaction,
  grant: { user: User; before: number | null; after: number | null },
  by: ChangedBy,
) => Promise<boolean>;

/**
 * Gives an admin another role, or none; one that may move money waits for another administrator.
 * @returns whether it counts now.
 * @throws {NotFoundError} for an unknown id. @throws {InvalidInputError} for a role that does not exist, or no admin.
 * @throws {ForbiddenError} for somebody, or a role, that may do more than whoever gives it.
 * @throws whatever `keepRoleManager` throws when nobody would be left who manages roles.
 */
export async function assignRole(
  db: Database,
  { user_id, admin_role_id }: { user_id: number; admin_role_id: number | null },
  change: StaffChange,
  { keepRoleManager, grantRole }: { keepRoleManager: KeepRoleManager; grantRole: GrantRole },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, user_id, change);
    if (user.user_type !== 'admin') throw invalid('admin_role_id', 'Only staff have a role.');
    if (user.admin_role_id === admin_role_id) return true;
    await refuseStronger(tx, user_id, change);
    await refuseStrongerRole(tx, admin_role_id, change);
    const before = { role: await nameOfRole(tx, user.admin_role_id) };
    const after = { role: await nameOfRole(tx, admin_role_id) };
    const counts = await grantRole(tx, { user, before: user.admin_role_id, after: admin_role_id }, change);
    if (counts) {
      await setRole(tx, user_id, admin_role_id);
      await keepRoleManager(tx);
    }
    const action = counts ? 'user.assign_role' : 'user.ask_role';
    await recordAudit(tx, { ...auditOf(user, change), action, before, after });
    return counts;
  });
}

/**
 * Gives somebody the role that they have anew, as somebody else whom it might belong to since: one that may move money waits for
 * another administrator, and they have none meanwhile. @returns whether it goes on counting.
 */
export async function grantAnew(
  tx: Transaction,
  user: User & { admin_role_id: number | null },
  grantRole: GrantRole,
  by: ChangedBy,
): Promise<boolean> {
  const { admin_role_id: role } = user;
  const counts = role === null || (await grantRole(tx, { user, before: null, after: role }, by));
  if (!counts) await setRole(tx, user.id, null);
  return counts;
}

/** Writes an admin's role, and hands on what the new one leaves to others; who may is the caller's to ask. */
export async function setRole(tx: Transaction, userId: number, roleId: number | null): Promise<void> {
  await query(tx, sql`update user_account set admin_role_id = ${roleId}, updated_at = now() where id = ${userId}`);
  await enqueue(tx, 'hand_on_approvals', { user_id: userId });
  await enqueue(tx, 'hand_on_chains', {});
}

/** @throws {InvalidInputError} for a role that does not exist. */
export async function nameOfRole(tx: Transaction, id: number | null): Promise<string | null> {
  if (id === null) return null;
  // Held until the end of the transaction: a role that is deleted meanwhile waits.
  const [found] = await query<{ name: string }>(tx, sql`select name from admin_role where id = ${id} for key share`);
  if (found === undefined) throw invalid('admin_role_id', 'This role no longer exists.');
  return found.name;
}
