/**
 * The types of users in three forms: short codes in the database, the staff application, messaging, and the web session; longer
 * words in the JSON API; and words for people. Only this file translates between them (LAYER-3).
 */
export const USER_TYPES = ['admin', 'surrogate', 'cm', 'owner', 'ip', 'ip_rep'] as const;
export type UserType = (typeof USER_TYPES)[number];

export const API_USER_TYPES = ['admin', 'surrogate', 'intended_parent', 'case_manager', 'agency_owner', 'ip_company'] as const;
export type ApiUserType = (typeof API_USER_TYPES)[number];

const TO_API: Record<UserType, ApiUserType> = {
  admin: 'admin',
  surrogate: 'surrogate',
  ip: 'intended_parent',
  cm: 'case_manager',
  owner: 'agency_owner',
  ip_rep: 'ip_company',
};

const FROM_API = new Map<string, UserType>(USER_TYPES.map((type) => [TO_API[type], type]));

const WORDS: Record<UserType, string> = {
  admin: 'Staff',
  surrogate: 'Surrogate',
  ip: 'Intended parent',
  cm: 'Case manager',
  owner: 'Agency owner',
  ip_rep: 'Parents’ representative',
};

export function toApiUserType(type: UserType): ApiUserType {
  return TO_API[type];
}

/** Converts a word of the JSON API, which also accepts `ip_rep` (LAYER-4). Undefined for an unknown word. */
export function fromApiUserType(word: string): UserType | undefined {
  return word === 'ip_rep' ? word : FROM_API.get(word);
}

export function isUserType(value: unknown): value is UserType {
  return (USER_TYPES as readonly unknown[]).includes(value);
}

export function isApiUserType(value: unknown): value is ApiUserType {
  return (API_USER_TYPES as readonly unknown[]).includes(value);
}

/** The name of a user type for staff, in mails, and at sign-in. */
export function userTypeInWords(type: UserType): string {
  return WORDS[type];
}

export function apiUserTypeInWords(type: ApiUserType): string {
  const role = FROM_API.get(type);
  return role === undefined ? '' : WORDS[role];
}

/** A user type within a sentence about signing in: "as a surrogate", "as staff". */
export function asUserType(type: UserType | ApiUserType): string {
  const role = isUserType(type) ? type : (FROM_API.get(type) ?? 'admin');
  const words = WORDS[role].charAt(0).toLowerCase() + WORDS[role].slice(1);
  if (role === 'admin') return `as ${words}`;
  return `as ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

/** The name of a user type for the other people of a case, to whom all staff are the escrow team. */
export function roleWords(type: UserType | ApiUserType): string {
  const role = isUserType(type) ? type : FROM_API.get(type);
  if (role === 'admin') return 'Escrow team';
  if (role === 'ip') return 'Parent';
  return role === undefined || role === 'ip_rep' ? 'Representative' : WORDS[role];
}

/** The words for a role within a sentence, such as "surrogate". */
export function roleInText(role: Parameters<typeof roleWords>[0]): string {
  const words = roleWords(role);
  return words.charAt(0).toLowerCase() + words.slice(1);
}
