import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, SUPERUSER, signInOf } from './postgres-cluster.mjs';
import { placePostgres } from './postgres-place.mjs';

/**
 * Finds the database that `npm start` runs on a data folder.
 * @param {string} dataDir
 * @returns {Record<string, string> | null} the settings with its addresses, or null if none runs there
 */
export function findRunningPostgres(dataDir) {
  try {
    const folder = realpathSync(dataDir);
    const password = readFileSync(join(folder, 'postgres.password'), 'utf8').trim();
    const { cluster } = placePostgres(folder);
    const [pid = '', , , port, , , , state = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    if (!state.startsWith('ready') || !isRunning(Number(pid))) return null;
    const addressAs = (/** @type {string} */ signIn) => `postgres://${signIn}@127.0.0.1:${port}/${DATABASE}`;
    return {
      DATABASE_URL: addressAs(signInOf(password)),
      MIGRATION_DATABASE_URL: addressAs(`${SUPERUSER}:${password}`),
      API_DATABASE_URL: addressAs(signInOf(password, 'api')),
      ADMIN_DATABASE_URL: addressAs(signInOf(password, 'admin')),
      WORKER_DATABASE_URL: addressAs(signInOf(password, 'worker')),
    };
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
