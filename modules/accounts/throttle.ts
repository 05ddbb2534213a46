import { createHash } from 'node:crypto';
import { TooManyRequestsError } from '@case-platform/lib/errors';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** What is counted against a limit. */
export type ThrottleKind = keyof typeof LIMITS;

/** Points in seconds (decisions, section 5). They are kept in PostgreSQL: a restart forgives nothing. */
const LIMITS = {
  /** Failed logins of one (email_address, user_type) from one address. */
  login: { points: 10, duration: 900 },
  /** Failed logins from one address, whatever account they try. */
  login_address: { points: 30, duration: 900 },
  /** Failed logins of one account from addresses that it has not signed in from. */
  login_account: { points: 100, duration: 24 * 3600 },
  /** Wrong codes of one account, over all its challenges. */
  code: { points: 10, duration: 900 },
  /** Codes sent to one account: texts cost money. */
  send_code: { points: 6, duration: 900 },
  /** Wrong current passwords of one signed-in account. */
  password: { points: 10, duration: 900 },
  /** Reset mails to one (email_address, user_type). */
  reset: { points: 3, duration: 900 },
} as const;

/** Counts tries. One for each process; all count in the same table. */
export interface Throttle {
  /**
   * Takes one try before it is made, so that many at the same time cannot slip through.
   * @throws {TooManyRequestsError} when there is none left, with the seconds until there is.
   */
  take(kind: ThrottleKind, subject: string): Promise<void>;
  /** Gives the try back: it was a success. */
  giveBack(kind: ThrottleKind, subject: string): Promise<void>;
  /**
   * For tries of which only the failures count: asked before one is made.
   * @throws {TooManyRequestsError} when all have failed that may.
   */
  check(kind: ThrottleKind, subject: string): Promise<void>;
}

/** A throttle on the table `throttle`. */
export function createThrottle(pool: pg.Pool): Throttle {
  const limiters = new Map(
    Object.entries(LIMITS).map(([kind, limit]) => [
      kind,
      new RateLimiterPostgres({
        storeClient: pool,
        storeType: 'pool',
        tableName: 'throttle',
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: kind,
        ...limit,
      }),
    ]),
  );
  const limiter = (kind: ThrottleKind) => {
    const found = limiters.get(kind);
    if (found === undefined) throw new Error(`nothing is throttled as ${kind}`);
    return found;
  };
  return {
    async take(kind, subject) {
      try {
        await limiter(kind).consume(keyOf(subject));
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw new TooManyRequestsError(refused.msBeforeNext / 1000);
        throw refused;
      }
    },
    async check(kind, subject) {
      const counted = await limiter(kind).get(keyOf(subject));
      if (counted !== null && counted.remainingPoints <= 0) throw new TooManyRequestsError(counted.msBeforeNext / 1000);
    },
    async giveBack(kind, subject) {
      await limiter(kind).reward(keyOf(subject));
    },
  };
}

/** Addresses and names are not kept readable where only their sameness counts. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
