import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { Refusal } from '../checkout/terminal.mjs';

/** @typedef {{ uid: number, gid: number }} User */

/**
 * Returns the user that PostgreSQL runs as instead of root, which it rejects: the owner of an existing database, otherwise the
 * system's `postgres`, otherwise `nobody`.
 * @param {string} cluster the database's folder, which need not exist yet
 * @returns {User | null} null when this process is not root and PostgreSQL may run as the same user
 * @throws {Refusal} when root may not become another user here
 */
export function postgresUser(cluster) {
  if (process.getuid?.() !== 0) return null;
  const user = ownerOf(cluster) ?? namedUser('postgres') ?? namedUser('nobody') ?? namedUser('daemon');
  if (user === null || !runsAs(user, ':', '')) {
    throw new Refusal(
      'DATABASE_URL: PostgreSQL does not run as root and this process may not become another user: ' +
        'set DATABASE_URL to a PostgreSQL of your own, or run this as another user.',
    );
  }
  return user;
}

/**
 * Tries it, because owner and mode do not decide everything (access lists, mounts, parent folders).
 * @param {User | null} user
 * @param {string} folder
 * @returns {boolean} whether this user can work in the folder
 */
export function canEnter(user, folder) {
  return user === null || runsAs(user, 'cd "$0"', folder);
}

/**
 * @param {User | null} user
 * @param {string} native the folder of PostgreSQL's bin, lib and share
 * @returns {boolean} whether this user can run it from there
 */
export function canRun(user, native) {
  return runsAs(user, '"$0/bin/postgres" -V && cd "$0/share/postgresql" && test -r postgres.bki', native);
}

/**
 * @param {User | null} user
 * @param {string} script of `sh`; `$0` is `argument`
 * @param {string} argument
 */
function runsAs(user, script, argument) {
  // The current folder may be one that this user cannot enter.
  return spawnSync('/bin/sh', ['-c', script, argument], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** @param {string} path */
function ownerOf(path) {
  const owner = statSync(path, { throwIfNoEntry: false });
  return owner !== undefined && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : null;
}

/** @param {string} name */
function namedUser(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return Number(uid) > 0 ? { uid: Number(uid), gid: Number(gid) } : null;
}
