import type { Reader } from './read-settings.ts';

/** Limits that can be set, with their defaults (RATE-3). */
const LIMITS = {
  /** Failed logins in 15 minutes: of an account from one address, and from one address whatever the account. */
  login: ['LIMIT_LOGINS', 10],
  login_address: ['LIMIT_LOGINS_ADDRESS', 30],
  /** Failed logins of an account in 24 hours, from addresses that it does not sign in from. */
  login_account: ['LIMIT_LOGINS_ACCOUNT', 100],
  /** Links to set a new password that are asked for from one address in 15 minutes. */
  reset_address: ['LIMIT_RESETS_ADDRESS', 20],
  /** Codes of proofs of funds that one address checks in 15 minutes and that are not known. */
  proof_code: ['LIMIT_PROOF_CODES', 20],
  /** Calls in a minute. */
  calls_person: ['LIMIT_CALLS', 600],
  calls_address: ['LIMIT_CALLS_ADDRESS', 1200],
  /** Messages that a person sends in a minute. */
  messages: ['LIMIT_MESSAGES', 30],
  /** Mails to one address in an hour, those apart that protect an account. */
  mails: ['LIMIT_MAILS', 30],
} as const;

const MOST = 1_000_000_000;

type Limits = Record<keyof typeof LIMITS, number>;

export function readLimits(read: Reader): Limits {
  const rows = Object.entries(LIMITS).map(([kind, [name, usual]]) => [kind, read.integer(name, usual, 1, MOST)]);
  return Object.fromEntries(rows) as Limits;
}
