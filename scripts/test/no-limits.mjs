/**
 * Settings under which nothing is held back: what measures or breaks the platform, and tests that are not about limits, do more
 * in a minute than anybody may.
 */
export const NO_LIMITS = Object.fromEntries(
  ['CALLS', 'CALLS_ADDRESS', 'MESSAGES', 'MAILS', 'LOGINS', 'LOGINS_ADDRESS', 'LOGINS_ACCOUNT', 'RESETS_ADDRESS'].map(
    (name) => [`LIMIT_${name}`, '1000000000'],
  ),
);
