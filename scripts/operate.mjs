import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { ROOT } from './checkout/checkout.mjs';
import { pinnedNode } from './checkout/install.mjs';

/**
 * Runs a program of scripts/operate/ with the pinned Node.js, such as `npm run create-admin`. It installs nothing, because it
 * also runs where only production packages are installed.
 */
const [program = '', ...args] = process.argv.slice(2);
const { status } = spawnSync(pinnedNode(), [join(ROOT, 'scripts', 'operate', `${program}.ts`), ...args], {
  stdio: 'inherit',
  env: await environment(),
});
process.exitCode = status ?? 1;

/** Without `DATABASE_URL` the database of a running `npm start` is used (OPERATE-7). Production must name its own. */
async function environment() {
  const { NODE_ENV, DATABASE_URL, DATABASE_URL_FILE, DATA_DIR } = process.env;
  if (NODE_ENV === 'production' || DATABASE_URL || DATABASE_URL_FILE) return process.env;
  const { findRunningPostgres } = await import('./postgres/running-postgres.mjs');
  const dataDir = resolve(ROOT, DATA_DIR || '.data');
  const addresses = findRunningPostgres(dataDir);
  return addresses === null ? process.env : { ...process.env, ...addresses, DATA_DIR: dataDir };
}
