import { createHash } from 'node:crypto';
import { TooManyRequestsError } from '@case-platform/lib/errors';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** What is counted against a limit. */
export type ThrottleKind = keyof typeof LIMITS;

interface Limit {
  points: number;
  duration: number;
  /** What somebody is told who is over it, where there is more to say than to wait. */
  words?: string;
  code?: string;
}

/** Points and seconds of each limit (SIGN-IN-4, RATE-5). They are in PostgreSQL, so that a restart resets nothing. */
const LIMITS = {
  /** Failed logins of one (email_address, user_type) from one address. */
  login: { points: 10, duration: 900 },
  /** Failed logins from one address, whatever account they try. */
  login_address: { points: 30, duration: 900 },
  /** Failed logins of one account from addresses that it has not signed in from. */
  login_account: {
    points: 100,
    duration: 24 * 3600,
    words:
      'Someone tried many passwords for this account. To sign in from a new place, choose “Forgot your password?” and set a new one with the link we email you.',
    code: 'unfamiliar_address',
  },
  /** Wrong codes of one account, over all its challenges. */
  code: { points: 10, duration: 900 },
  /** Codes sent to one account: texts cost money. */
  send_code: { points: 6, duration: 900 },
  /** Wrong current passwords of one signed-in account. */
  password: { points: 10, duration: 900 },
  /** Links that one account has sent to other addresses. */
  address_link: { points: 3, duration: 900 },
  /** Other phone numbers that one account gives itself: each is told to the one before, which may be anybody's. */
  phone_change: { points: 5, duration: 3600 },
  /** Other bank accounts that one account gives itself: each is told by mail and text. */
  account_change: { points: 30, duration: 3600 },
  /** Reset mails to one (email_address, user_type). */
  reset: { points: 3, duration: 900 },
  /** Reset mails that are asked for from one address. */
  reset_address: { points: 20, duration: 900 },
  /** Codes of proofs of funds from one address that turn out not to be known. */
  proof_code: {
    points: 20,
    duration: 900,
    words: 'Too many codes from here were not right. Wait a few minutes, then check the code on the paper again.',
  },
} as const satisfies Record<string, Limit>;

/** Counts tries. One for each process; all count in the same table. */
export interface Throttle {
  /**
   * Takes one try before it is made, so that many at the same time cannot slip through.
   * @throws {TooManyRequestsError} when there is none left, with the seconds until there is.
   */
  consume(kind: ThrottleKind, subject: string): Promise<void>;
  /** Gives the try back: it was a success. */
  giveBack(kind: ThrottleKind, subject: string): Promise<void>;
  /**
   * For tries of which only the failures count: asked before one is made.
   * @throws {TooManyRequestsError} when all have failed that may.
   */
  check(kind: ThrottleKind, subject: string): Promise<void>;
}

/** A throttle on the table `throttle`, with other points for some kinds where they are set. */
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
    const found = limiters.get(kind);
    if (found === undefined) throw new Error(`nothing is throttled as ${kind}`);
    return found;
  };
  return {
    async consume(kind, subject) {
      try {
        await limiter(kind).consume(keyOf(subject));
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw refusal(kind, refused);
        throw refused;
      }
    },
    async check(kind, subject) {
      const counted = await limiter(kind).get(keyOf(subject));
      if (counted !== null && counted.remainingPoints <= 0) throw refusal(kind, counted);
    },
    async giveBack(kind, subject) {
      await limiter(kind).reward(keyOf(subject));
    },
  };
}

function refusal(kind: ThrottleKind, { msBeforeNext }: RateLimiterRes): TooManyRequestsError {
  const { words, code }: Limit = LIMITS[kind];
  return new TooManyRequestsError(msBeforeNext / 1000, words, code);
}

/** Addresses and names are not kept readable where only their sameness counts. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
