import type { Reader } from './read-settings.ts';

/** Days for which something is kept: the setting, what holds without it, and between what it may be set. */
interface KeptDays {
  setting: string;
  usual: number;
  least: number;
  most: number;
}

const TEN_YEARS = 3650;

/**
 * What is needed for a time and then removed by the worker (docs/operations.md, "What is removed by itself"). Nothing is removed
 * earlier than the rules that ask for it still look at it.
 */
export const RETENTION = {
  /** A key answers for 24 hours (IDEMPOTENCY-3). */
  idempotency_keys: { setting: 'KEEP_IDEMPOTENCY_KEYS', usual: 2, least: 1, most: 30 },
  /** Counted tries, from the moment at which they are forgiven. */
  throttles: { setting: 'KEEP_THROTTLES', usual: 1, least: 1, most: 30 },
  /** Codes to sign in and to change something, from the moment at which they end. */
  challenges: { setting: 'KEEP_CHALLENGES', usual: 30, least: 1, most: 400 },
  /** Links to set a password or an address, from their end; who followed one is known at that address for 90 days. */
  links: { setting: 'KEEP_LINKS', usual: 400, least: 90, most: TEN_YEARS },
  /** An account's address is remembered for 90 days (SIGN-IN-6). */
  sign_ins: { setting: 'KEEP_SIGN_INS', usual: 400, least: 90, most: TEN_YEARS },
  /** Sessions of the staff application, from their last activity; they last 12 hours at most. */
  sessions: { setting: 'KEEP_SESSIONS', usual: 2, least: 1, most: 400 },
  /** Sign-ins of the web frontend that have ended; no token lives for longer than 30 days. */
  ended_sessions: { setting: 'KEEP_ENDED_SESSIONS', usual: 32, least: 32, most: 400 },
  /** Providers report on them for seven days. */
  deliveries: { setting: 'KEEP_DELIVERIES', usual: 400, least: 30, most: TEN_YEARS },
  /** Long enough for a case from its contract to its end. */
  agency_events: { setting: 'KEEP_AGENCY_EVENTS', usual: 400, least: 30, most: TEN_YEARS },
  /** Names of providers' reports, so that none is taken twice: one older than seven days is not taken at all. */
  reports: { setting: 'KEEP_REPORTS', usual: 10, least: 10, most: 400 },
} as const satisfies Record<string, KeptDays>;

export type Kept = keyof typeof RETENTION;
export type Retention = Record<Kept, number>;

/** What holds where nothing is set. */
export const USUAL_RETENTION = readRetention({ integer: (_setting, usual) => usual });

export function readRetention(read: Pick<Reader, 'integer'>): Retention {
  const rows = Object.entries(RETENTION).map(([kept, { setting, usual, least, most }]) => [
    kept,
    read.integer(setting, usual, least, most),
  ]);
  return Object.fromEntries(rows) as Retention;
}
