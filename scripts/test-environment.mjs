/** Settings of the platform, which a person's shell may hold for a platform of theirs that tests must not touch. */
const SETTINGS =
  /^(NODE_ENV|DATABASE_URL|MIGRATION_DATABASE_URL|DATA_DIR|HOST|REDIS_URL|MASTER_API_KEY|ENCRYPTION_KEY|TRUST_PROXY|FORWARDING_SECRET|MAILPIT_URL|EMAIL_FROM|DEMO_SEED|TEST_CLOCK|STRICT_PAGE_GUARD|LOG_LEVEL|PUSH_ALLOWED_HOSTS|NEXTAUTH_(URL|SECRET)|(WEB|API|ADMIN|STORAGE)_(PORT|URL)|(JWT|SESSION|AUTH)_SECRET|JWT_SECRET_PREVIOUS|(ACCESS_TOKEN|REFRESH_TOKEN|SESSION_IDLE)_TTL|(S3|VAPID|SENDGRID|TWILIO)_.+)(_FILE)?$/;

/**
 * The environment that tests run in: none of the platform's settings, the rest as it is.
 * @param {NodeJS.ProcessEnv} outer
 * @param {NodeJS.ProcessEnv} own what the tests are told
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(outer, own) {
  const kept = Object.entries(outer).filter(([name]) => !SETTINGS.test(name));
  return { ...Object.fromEntries(kept), NODE_ENV: 'test', NEXT_TELEMETRY_DISABLED: '1', ...own };
}
