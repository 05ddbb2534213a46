import type { Reader } from './read-settings.ts';

/** Limits that can be set, with their defaults (RATE-3). */
const LIMITS = {
  /**
   * Failed sign-ins in 15 minutes: for an account from one address, and from one address for all accounts (SIGN-IN-4, SIGN-IN-5).
   */
  login: ['LIMIT_LOGINS', 10],
  login_address: ['LIMIT_LOGINS_ADDRESS', 30],
  /** Failed sign-ins for an account in 24 hours, from addresses that it does not sign in from (SIGN-IN-6). */
  login_account: ['LIMIT_LOGINS_ACCOUNT', 100],
  /** Password reset links requested from one address in 15 minutes. */
  reset_address: ['LIMIT_RESETS_ADDRESS', 20],
  /** Unknown codes of proofs of funds checked from one address in 15 minutes (PROOF-3). */
  proof_code: ['LIMIT_PROOF_CODES', 20],
  /** Calls in a minute (RATE-1). */
  calls_person: ['LIMIT_CALLS', 600],
  calls_address: ['LIMIT_CALLS_ADDRESS', 1200],
  messages: ['LIMIT_MESSAGES', 30],
  /** Mails to one address in an hour, except those that protect an account (EMAIL-15). */
  mails: ['LIMIT_MAILS', 30],
} as const;

const MOST = 1_000_000_000;

type Limits = Record<keyof typeof LIMITS, number>;

export function readLimits(read: Reader): Limits {
  const rows = Object.entries(LIMITS).map(([kind, [name, usual]]) => [kind, read.integer(name, usual, 1, MOST)]);
  return Object.fromEntries(rows) as Limits;
}
