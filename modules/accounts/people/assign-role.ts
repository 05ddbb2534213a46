import { recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { requireRoleAdministrator } from '../roles/require-role-administrator.ts';
import { grantRole, type SeenChoice } from '../roles/role-grants.ts';
import { lockRoleName } from '../roles/roles.ts';
import { setRole } from '../roles/set-role.ts';
import { auditOf, lockUser, requireRightsOfRole, requireRightsOverUser, type StaffChange } from '../sign-in/lock-user.ts';

/**
 * Gives an admin another role, or none. A role that may move money waits for another administrator (ROLE-7).
 * @param seen the role and the person as the actor saw them (ROLE-12).
 * @returns true if the role is in effect now.
 * @throws {NotFoundError} for an unknown id. @throws {InvalidInputError} for a role that does not exist, or a person who is not
 * an admin.
 * @throws {ForbiddenError} for a person, or a role, with more permissions than the actor has (STAFF-3).
 * @throws {ConflictError} `last_role_manager`; `role_changed` for a role or person that changed after it was seen.
 */
export async function assignRole(
  db: Database,
  { user_id, admin_role_id, seen }: { user_id: number; admin_role_id: number | null; seen?: SeenChoice },
  change: StaffChange,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, user_id, change);
    if (user.user_type !== 'admin') throw invalid('admin_role_id', 'Only staff have a role.');
    if (user.admin_role_id === admin_role_id) return true;
    await requireRightsOverUser(tx, user_id, change);
    await requireRightsOfRole(tx, admin_role_id, change);
    const before = { role: await lockRoleName(tx, user.admin_role_id) };
    const after = { role: await lockRoleName(tx, admin_role_id) };
    const isInEffect = await grantRole(tx, { user, before: user.admin_role_id, after: admin_role_id, seen }, change, change.urls);
    if (isInEffect) {
      await setRole(tx, user_id, admin_role_id);
      await requireRoleAdministrator(tx);
    }
    const action = isInEffect ? 'user.assign_role' : 'user.ask_role';
    await recordAudit(tx, { ...auditOf(user, change), action, before, after });
    return isInEffect;
  });
}
