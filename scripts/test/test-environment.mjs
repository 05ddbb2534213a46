import { isSetting } from '../../lib/config/settings-of-processes.mjs';

/**
 * Returns the environment of the tests. The platform's settings are removed, because a person's shell may have them for a
 * platform of their own that tests must not touch. The rest stays, including settings for tests (`S3_TEST_...`,
 * `TEST_DATABASE_URL`).
 * @param {NodeJS.ProcessEnv} outer
 * @param {NodeJS.ProcessEnv} own settings of this run for its tests
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(outer, own) {
  const inherited = Object.entries(outer).filter(([name]) => !isSetting(name));
  return { ...Object.fromEntries(inherited), NODE_ENV: 'test', NEXT_TELEMETRY_DISABLED: '1', ...own };
}
