import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSources, ROOT } from './checkout/checkout.mjs';

/** A property has to end within the limit of a test (scripts/test/test-run.mjs). */
const SECONDS_MAX = 150;
const DEFAULT_SECONDS = 60;

const [seconds = String(DEFAULT_SECONDS), ...others] = process.argv.slice(2);
if (!(Number(seconds) >= 1 && Number(seconds) <= SECONDS_MAX) || others.length > 0) {
  console.error(
    `Usage: npm run fuzz -- [SECONDS for each property of a parser, 1 to ${SECONDS_MAX}; ${DEFAULT_SECONDS} by default]`,
  );
  process.exit(2);
}
const files = ['lib', 'words', 'modules', 'apps', 'test']
  .flatMap(listSources)
  .filter((file) => file.endsWith('.test.ts') && readFileSync(join(ROOT, file), 'utf8').includes('fuzzing('));
const env = { ...process.env, FUZZ_SECONDS: seconds };
process.exit(spawnSync(process.execPath, [join(ROOT, 'scripts/test.mjs'), ...files], { env, stdio: 'inherit' }).status ?? 1);
