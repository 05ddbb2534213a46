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

/** Parses a remembered role; returns the most frequent one for any other value. */
export function parseRole(value: string | undefined): ApiUserType {
  return isApiUserType(value) ? value : 'intended_parent';
}
