/** What a guard knows about a request. A fact that the route does not ask for counts as true. */
export interface Facts {
  signedIn: boolean;
  /** The user's type is one of `user_types`. */
  userType: boolean;
  /** The user has any one of `perm_check`. */
  permission: boolean;
  /** The user has any permission of `category_check`. */
  category: boolean;
  /** The user has access to the case of `case_id`. */
  caseAccess: boolean;
  /** There is an admin context. */
  adminContext: boolean;
}

export type Verdict = 'admit' | 'sign_in' | 'refuse';

/** A of the formulas: the authorization check holds. */
export function isAuthorized({ userType, permission, category, caseAccess }: Facts): boolean {
  return userType && permission && category && caseAccess;
}

/**
 * The specification's formulas, to the letter ('Server-rendered application' 4 and 5; decisions, section 9).
 * With A = the authorization check holds and C = there is an admin context, the page guard fails when not A and not C,
 * the API guard when not A or not C. `strict` lets the page guard fail on not A alone.
 */
export function decide(guard: 'page' | 'api', facts: Facts, { strict }: { strict: boolean }): Verdict {
  if (!facts.signedIn) return 'sign_in';
  const authorized = isAuthorized(facts);
  const admin = facts.adminContext;
  const fails = guard === 'page' ? !authorized && (strict || !admin) : !authorized || !admin;
  return fails ? 'refuse' : 'admit';
}
