import type { Reader } from './read-settings.ts';

/** How many days something is kept: the setting, its default, and its range. */
interface RetentionDays {
  setting: string;
  usual: number;
  least: number;
  most: number;
}

const TEN_YEARS = 3650;

/**
 * Rows that the worker deletes after a time (RETAIN-1; docs/operations.md, "What is removed by itself"). Nothing is deleted while
 * a rule still reads it.
 */
export const RETENTION = {
  /** A key answers for 24 hours (IDEMPOTENCY-3). */
  idempotency_keys: { setting: 'KEEP_IDEMPOTENCY_KEYS', usual: 2, least: 1, most: 30 },
  /** Counted attempts, from the moment at which they are forgiven. */
  throttles: { setting: 'KEEP_THROTTLES', usual: 1, least: 1, most: 30 },
  /** Codes to sign in or to change something, from the moment at which they expire. */
  challenges: { setting: 'KEEP_CHALLENGES', usual: 30, least: 1, most: 400 },
  /**
   * Links to set a password or an address, from the moment at which they expire. Someone who followed one is known at that
   * address for 90 days.
   */
  links: { setting: 'KEEP_LINKS', usual: 400, least: 90, most: TEN_YEARS },
  /** An account's address is remembered for 90 days (SIGN-IN-6). */
  sign_ins: { setting: 'KEEP_SIGN_INS', usual: 400, least: 90, most: TEN_YEARS },
  /** Sessions of the staff application, from their last activity; they last 12 hours at most (SESSION-2). */
  sessions: { setting: 'KEEP_SESSIONS', usual: 2, least: 1, most: 400 },
  /** Web sessions that have ended; no token lives longer than 30 days. */
  ended_sessions: { setting: 'KEEP_ENDED_SESSIONS', usual: 32, least: 32, most: 400 },
  /** Providers report on deliveries for seven days. */
  deliveries: { setting: 'KEEP_DELIVERIES', usual: 400, least: 30, most: TEN_YEARS },
  /** Long enough for a case from its contract to its end. */
  agency_events: { setting: 'KEEP_AGENCY_EVENTS', usual: 400, least: 30, most: TEN_YEARS },
  /** Ids of providers' reports, so that none is counted twice; a report older than seven days is rejected. */
  reports: { setting: 'KEEP_REPORTS', usual: 10, least: 10, most: 400 },
} as const satisfies Record<string, RetentionDays>;

export type RetentionKind = keyof typeof RETENTION;
export type Retention = Record<RetentionKind, number>;

/** The retention if nothing is set. */
export const DEFAULT_RETENTION = readRetention({ integer: (_setting, usual) => usual });

export function readRetention(read: Pick<Reader, 'integer'>): Retention {
  const rows = Object.entries(RETENTION).map(([kind, { setting, usual, least, most }]) => [
    kind,
    read.integer(setting, usual, least, most),
  ]);
  return Object.fromEntries(rows) as Retention;
}
