import { findTimeZone } from '@case-platform/words/time-zones';
import { isUserType, type UserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';

/** Preferences of this device, in cookies so that the first page is right at once. None of them is secret. */
export const PREFERENCE_COOKIES = { theme: 'case-theme', zone: 'case-zone', userType: 'case-staff-role' } as const;

export const PREFERENCE_SECONDS = 365 * 24 * 3600;

export interface Preferences {
  /** Undefined follows the system. */
  theme: 'light' | 'dark' | undefined;
  /** The time zone of the browser. */
  zone: string;
  /** The person who signed in here last. */
  userType: UserType;
}

/** The preferences that the browser sent, each checked. */
export function readPreferences(request: FastifyRequest): Preferences {
  // For an address that cannot be parsed, cookies are not parsed either.
  const cookies = request.cookies ?? {};
  // Over https, the prefix guarantees that we set it.
  const read = (name: string) => cookies[`__Host-${name}`] ?? cookies[name];
  const theme = read(PREFERENCE_COOKIES.theme);
  const userType = read(PREFERENCE_COOKIES.userType);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    zone: findTimeZone(read(PREFERENCE_COOKIES.zone)) ?? 'UTC',
    userType: isUserType(userType) ? userType : 'admin',
  };
}
