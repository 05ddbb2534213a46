import type { ApiUserType } from '../api/api-shapes.ts';

export type { ApiUserType };

/** The short words that the frontend session carries (specification, 'Frontend session'). */
export type SessionUserType = 'admin' | 'surrogate' | 'ip' | 'cm' | 'owner' | 'ip_rep';

const SHORT: Record<ApiUserType, SessionUserType> = {
  admin: 'admin',
  surrogate: 'surrogate',
  intended_parent: 'ip',
  case_manager: 'cm',
  agency_owner: 'owner',
  ip_company: 'ip_rep',
};

const ROLE_WORDS: Record<SessionUserType, string> = {
  admin: 'Escrow team',
  surrogate: 'Surrogate',
  ip: 'Parent',
  cm: 'Case manager',
  owner: 'Agency owner',
  ip_rep: 'Representative',
};

/** What the sign-in form offers, most frequent first. */
export const SIGN_IN_ROLES: readonly { value: ApiUserType; words: string }[] = [
  { value: 'intended_parent', words: 'Intended parent' },
  { value: 'surrogate', words: 'Surrogate' },
  { value: 'case_manager', words: 'Case manager' },
  { value: 'agency_owner', words: 'Agency owner' },
  { value: 'ip_company', words: 'Parents’ representative' },
  { value: 'admin', words: 'Staff' },
];

/** Whether a word from outside names one of the API's user types. */
export function isApiUserType(value: unknown): value is ApiUserType {
  return typeof value === 'string' && Object.hasOwn(SHORT, value);
}

/** The role that this device remembers, else the most frequent. */
export function knownRole(value: string | undefined): ApiUserType {
  return isApiUserType(value) ? value : 'intended_parent';
}

/** The session's short word for an API user type. */
export function toSessionUserType(type: ApiUserType): SessionUserType {
  return SHORT[type];
}

/** The API's word for a session's short one. */
export function toApiUserType(type: SessionUserType): ApiUserType {
  const found = (Object.keys(SHORT) as ApiUserType[]).find((key) => SHORT[key] === type);
  if (found === undefined) throw new TypeError('unknown user type');
  return found;
}

/** The role as people say it; the platform's own staff is the escrow team unless they are known to be a case's specialist. */
export function roleWords(type: ApiUserType | SessionUserType): string {
  return ROLE_WORDS[isApiUserType(type) ? SHORT[type] : type];
}
