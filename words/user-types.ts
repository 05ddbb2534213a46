/**
 * The kinds of user, in three tongues: short codes in the database, the server-rendered application, messaging and the frontend's
 * session; longer ones in the JSON API (LAYER-3); and words for people. This is the only place that translates.
 */
export const USER_TYPES = ['admin', 'surrogate', 'cm', 'owner', 'ip', 'ip_rep'] as const;
export type UserType = (typeof USER_TYPES)[number];

export const API_USER_TYPES = [
  'admin',
  'surrogate',
  'intended_parent',
  'case_manager',
  'agency_owner',
  'ip_company',
] as const;
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

/** The JSON API's word for a short code. */
export function toApiUserType(type: UserType): ApiUserType {
  return TO_API[type];
}

/**
 * The short code for a word of the JSON API, which also takes `ip_rep` for compatibility; undefined for a word that it does
 * not know.
 */
export function fromApiUserType(word: string): UserType | undefined {
  return word === 'ip_rep' ? word : FROM_API.get(word);
}

export function isUserType(value: unknown): value is UserType {
  return (USER_TYPES as readonly unknown[]).includes(value);
}

/** Whether a value is one of the JSON API's own words. */
export function isApiUserType(value: unknown): value is ApiUserType {
  return (API_USER_TYPES as readonly unknown[]).includes(value);
}

/** What a kind of user is called by staff, in mails and where people sign in. */
export function userTypeInWords(type: UserType): string {
  return WORDS[type];
}

/** The same for a word of the JSON API. */
export function apiUserTypeInWords(type: ApiUserType): string {
  const role = FROM_API.get(type);
  return role === undefined ? '' : WORDS[role];
}

/** What the others of a case call somebody: the platform's own staff is the escrow team to them. */
export function roleWords(type: UserType | ApiUserType): string {
  const role = isUserType(type) ? type : FROM_API.get(type);
  if (role === 'admin') return 'Escrow team';
  if (role === 'ip') return 'Parent';
  return role === undefined || role === 'ip_rep' ? 'Representative' : WORDS[role];
}
