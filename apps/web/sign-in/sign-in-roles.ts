import { type ApiUserType, isApiUserType } from '@case-platform/words/user-types';

/** What the sign-in form offers, the most frequent first. */
export const SIGN_IN_ROLES: readonly ApiUserType[] = [
  'intended_parent',
  'surrogate',
  'case_manager',
  'agency_owner',
  'ip_company',
  'admin',
];

/** The role that this device remembers, else the most frequent one. */
export function knownRole(value: string | undefined): ApiUserType {
  return isApiUserType(value) ? value : 'intended_parent';
}
