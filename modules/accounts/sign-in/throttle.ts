import { createHash } from 'node:crypto';
import { TooManyRequestsError } from '@case-platform/lib/errors';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

export type ThrottleKind = keyof typeof LIMITS;

interface Limit {
  points: number;
  duration: number;
  /** The message for someone above the limit; without it, the default message. */
  words?: string;
  code?: string;
}

/** Points and seconds of each limit (RATE-5). They are counted in PostgreSQL, so a restart resets nothing (SIGN-IN-4). */
const LIMITS = {
  /** Failed sign-ins of one account (address and type) from one network address. */
  login: { points: 10, duration: 900 },
  /** Failed sign-ins from one network address, for any account. */
  login_address: { points: 30, duration: 900 },
  /** Failed sign-ins of one account from addresses that it did not use in the last 90 days. */
  login_account: {
    points: 100,
    duration: 24 * 3600,
    words:
      'Someone tried many passwords for this account. To sign in from a new place, choose “Forgot your password?” and set a new one with the link we email you.',
    code: 'unfamiliar_address',
  },
  code: { points: 10, duration: 900 },
  /** Codes sent to one account, because text messages cost money. */
  send_code: { points: 6, duration: 900 },
  password: { points: 10, duration: 900 },
  address_link: { points: 3, duration: 900 },
  /** Changes of phone number by one account, because each sends a text to the previous number, which could be anyone's. */
  phone_change: { points: 5, duration: 3600 },
  /** Changes of bank account by one account, because each sends a mail and a text. */
  account_change: { points: 30, duration: 3600 },
  reset: { points: 3, duration: 900 },
  reset_address: { points: 20, duration: 900 },
  proof_code: {
    points: 20,
    duration: 900,
    words: 'Too many codes from here were not right. Wait a few minutes, then check the code on the paper again.',
  },
} as const satisfies Record<string, Limit>;

/** Counts tries in a table that all processes share. Each process needs one. */
export interface Throttle {
  /**
   * Counts one try before it is made, so that many at once cannot slip through.
   * @throws {TooManyRequestsError} if none is left, with the seconds until one is.
   */
  consume(kind: ThrottleKind, subject: string): Promise<void>;
  /** Returns a try that succeeded. */
  returnTry(kind: ThrottleKind, subject: string): Promise<void>;
  /**
   * Requires that the limit is not reached, without counting a try, because only failures are counted.
   * @throws {TooManyRequestsError} if the limit is reached.
   */
  requireBelowLimit(kind: ThrottleKind, subject: string): Promise<void>;
}

/** Creates a throttle on the table `throttle`. @param points replaces the limits of some kinds. */
export function createThrottle(pool: pg.Pool, points: Partial<Record<ThrottleKind, number>> = {}): Throttle {
  const limiters = new Map(
    Object.entries(LIMITS).map(([kind, { duration, points: usual }]) => [
      kind,
      new RateLimiterPostgres({
        storeClient: pool,
        storeType: 'pool',
        tableName: 'throttle',
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: kind,
        duration,
        points: points[kind as ThrottleKind] ?? usual,
      }),
    ]),
  );
  const limiter = (kind: ThrottleKind) => {
    const kindLimiter = limiters.get(kind);
    if (kindLimiter === undefined) throw new Error(`unknown kind of throttle: ${kind}`);
    return kindLimiter;
  };
  return {
    async consume(kind, subject) {
      try {
        await limiter(kind).consume(keyOf(subject));
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw refusal(kind, limiter(kind).points, refused);
        throw refused;
      }
    },
    async requireBelowLimit(kind, subject) {
      const count = await limiter(kind).get(keyOf(subject));
      if (count !== null && count.remainingPoints <= 0) throw refusal(kind, limiter(kind).points, count);
    },
    async returnTry(kind, subject) {
      await limiter(kind).reward(keyOf(subject));
    },
  };
}

function refusal(kind: ThrottleKind, quota: number, { msBeforeNext }: RateLimiterRes): TooManyRequestsError {
  const { words, code, duration }: Limit = LIMITS[kind];
  const error = new TooManyRequestsError(msBeforeNext / 1000, words, code);
  error.limit = { name: kind, quota, windowSeconds: duration, remaining: 0, resetSeconds: error.retryAfter };
  return error;
}

/** Keys are hashed, so that addresses and names are not readable in the table. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
