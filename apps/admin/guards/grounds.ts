import type { UserType } from '@case-platform/modules/accounts';
import { type Permission, type PermissionCategory, permissionsIn } from '@case-platform/modules/permissions';
import type { Facts } from './decide.ts';
import type { Actor } from './visitors.ts';

/** What a guard asks for, apart from where the case is found. */
export interface Requirements {
  user_types: readonly UserType[];
  /** One permission or a list: any one of them is enough. */
  perm_check?: Permission | readonly Permission[];
  /** Any permission of the category is enough. */
  category_check?: PermissionCategory;
}

/** Permissions of which any one is enough, and those among them that somebody's role grants. */
export interface PermissionGround {
  wanted: readonly Permission[];
  granted: readonly Permission[];
}

/** Everything that a guard's decision rests on, each with why. Null: the route does not ask for it. */
export interface Grounds {
  signedIn: boolean;
  userType: { allowed: readonly UserType[]; is: UserType | null };
  permission: PermissionGround | null;
  category: (PermissionGround & { category: PermissionCategory }) | null;
  caseAccess: { granted: boolean } | null;
  adminContext: boolean;
}

/**
 * Finds the grounds of a decision: for the guards, and for the page that explains them.
 * @param caseAccess whether this person has access to the case that the route is about; null where it is about none.
 */
export function findGrounds(
  actor: Pick<Actor, 'user' | 'admin'> | null,
  { user_types, perm_check, category_check }: Requirements,
  caseAccess: boolean | null,
): Grounds {
  const permissions = (wanted: readonly Permission[]): PermissionGround => ({
    wanted,
    granted: wanted.filter((permission) => actor?.admin?.can(permission)),
  });
  return {
    signedIn: actor !== null,
    userType: { allowed: user_types, is: actor?.user.user_type ?? null },
    permission: perm_check === undefined ? null : permissions([perm_check].flat()),
    category:
      category_check === undefined ? null : { category: category_check, ...permissions(permissionsIn(category_check)) },
    caseAccess: caseAccess === null ? null : { granted: caseAccess },
    adminContext: actor !== null && actor.admin !== null,
  };
}

/** The facts that `decide` goes by. What a route does not ask for counts as true. */
export function factsOf({ signedIn, userType, permission, category, caseAccess, adminContext }: Grounds): Facts {
  return {
    signedIn,
    userType: userType.is !== null && userType.allowed.includes(userType.is),
    permission: permission === null || permission.granted.length > 0,
    category: category === null || category.granted.length > 0,
    caseAccess: caseAccess === null || caseAccess.granted,
    adminContext,
  };
}
