import type { Executor } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import { findPermissions, type Permission } from '@case-platform/modules/accounts';

/** Returns a function that is true if the user's role includes any of these permissions. Only staff need permissions. */
export async function loadPermissionCheck(
  db: Executor,
  { id, user_type }: Pick<User, 'id' | 'user_type'>,
): Promise<(...any: readonly Permission[]) => boolean> {
  if (user_type !== 'admin') return () => true;
  const permissions = await findPermissions(db, id);
  return (...any) => any.some((permission) => permissions.has(permission));
}
