import { type ApiUserType, isApiUserType } from '@case-platform/words/user-types';

/** The roles of the sign-in form, most frequent first. */
export const SIGN_IN_ROLES: readonly ApiUserType[] = [
  'intended_parent',
  'surrogate',
  'case_manager',
  'agency_owner',
  'ip_company',
  'admin',
];

/** Parses a role from a link or a cookie; undefined for any other value, because no role is preselected then (SIGN-IN-13). */
export function parseRole(value: string | readonly string[] | undefined): ApiUserType | undefined {
  return isApiUserType(value) ? value : undefined;
}

/** The error of a form without a role; null with one. */
export function roleProblem(value: string): string | null {
  return isApiUserType(value) ? null : 'Choose your role.';
}
