/**
 * Settings that switch off the rate limits, for benchmarks, chaos runs, and tests that are not about limits, because they do more
 * in a minute than a person may.
 */
export const NO_LIMITS = Object.fromEntries(
  ['CALLS', 'CALLS_ADDRESS', 'MESSAGES', 'MAILS', 'LOGINS', 'LOGINS_ADDRESS', 'LOGINS_ACCOUNT', 'RESETS_ADDRESS'].map((name) => [
    `LIMIT_${name}`,
    '1000000000',
  ]),
);
