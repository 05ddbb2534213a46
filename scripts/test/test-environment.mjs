import { isSetting } from '../../lib/config/settings-of-processes.mjs';

/**
 * The environment that tests run in: none of the platform's settings, which a person's shell may hold for a platform of
 * theirs that tests must not touch; the rest as it is, what is meant for tests (`S3_TEST_...`, `TEST_DATABASE_URL`) included.
 * @param {NodeJS.ProcessEnv} outer
 * @param {NodeJS.ProcessEnv} own what the tests are told
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(outer, own) {
  const kept = Object.entries(outer).filter(([name]) => !isSetting(name));
  return { ...Object.fromEntries(kept), NODE_ENV: 'test', NEXT_TELEMETRY_DISABLED: '1', ...own };
}
