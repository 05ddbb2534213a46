/**
 * The words for user types. Short codes live in the database, the server-rendered application and inside messaging; the
 * JSON API speaks the long ones (specification, 'User types'). This is the only place that translates.
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

const FROM_API = new Map<string, UserType>([
  ...Object.entries(TO_API).map(([short, long]) => [long, short as UserType] as const),
  // Kept for compatibility: the one short code that the JSON API takes.
  ['ip_rep', 'ip_rep'],
]);

const WORDS: Record<UserType, string> = {
  admin: 'Staff',
  surrogate: 'Surrogate',
  ip: 'Intended parent',
  cm: 'Case manager',
  owner: 'Agency owner',
  ip_rep: "Parents' representative",
};

/** The JSON API's word for a short code. */
export function toApiUserType(type: UserType): ApiUserType {
  return TO_API[type];
}

/** The short code for the JSON API's word; undefined for a word that the JSON API does not know. */
export function fromApiUserType(word: string): UserType | undefined {
  return FROM_API.get(word);
}

export function isUserType(value: unknown): value is UserType {
  return (USER_TYPES as readonly unknown[]).includes(value);
}

/** What people call this role. */
export function userTypeInWords(type: UserType): string {
  return WORDS[type];
}
