import { createHmac, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../checkout/run-command.mjs';
import { Refusal } from '../checkout/terminal.mjs';

/** @typedef {import('./postgres-place.mjs').Place} Place */

export const SUPERUSER = 'postgres';
export const DATABASE = 'case_platform';
/** The role for work outside the processes. It owns nothing, so it can change neither the schema nor append-only tables. */
const APPLICATION = 'case_platform_app';
/** The server's environment, without a person's own settings (PGDATA, PGOPTIONS, language). */
export const ENVIRONMENT = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // Memory of a query plan is returned to the system, so a connection that has planned every statement keeps a third less.
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const ACCESS = 'host all all 127.0.0.1/32 scram-sha-256\n';
const DRAFT = 'postgres.new-';

/**
 * Returns `role:password` of a process or, without one, of work outside the processes. The password is derived from the
 * superuser's, and does not reveal it.
 * @param {string} password
 * @param {'api' | 'admin' | 'worker'} [process]
 */
export function signInOf(password, process) {
  const role = process === undefined ? APPLICATION : `case_platform_${process}`;
  return `${role}:${createHmac('sha256', password).update(role).digest('hex')}`;
}

/**
 * Creates the cluster with the database `case_platform` if it is missing, and a new password if that is lost.
 * @param {object} options
 * @param {string} options.binaries
 * @param {Place} options.place
 * @param {string} options.passwordFile kept with mode 0600; a new password is set when it is missing
 * @param {boolean} options.sync whether the new cluster must outlive a crash of the machine
 * @returns {Promise<string>} the superuser's password
 * @throws {Refusal} when the cluster cannot be made or is another version's
 */
export async function prepareCluster({ binaries, place, passwordFile, sync }) {
  const isNew = !existsSync(join(place.cluster, 'PG_VERSION'));
  const storedPassword = existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8').trim() : '';
  const password = storedPassword || randomBytes(24).toString('hex');
  const savePassword = () => {
    writeFileSync(`${passwordFile}.new`, password, { mode: 0o600 });
    renameSync(`${passwordFile}.new`, passwordFile);
  };
  const setPassword = `ALTER ROLE ${SUPERUSER} PASSWORD '${password}';`;
  if (isNew) {
    savePassword();
    await createCluster({ binaries, place, sync, statements: [setPassword, `CREATE DATABASE ${DATABASE};`] });
  } else {
    await refuseOtherVersion(binaries, place);
    if (storedPassword === '') {
      await runAlone({ binaries, place, cluster: place.cluster, statements: [setPassword] });
      savePassword();
    }
  }
  return password;
}

/**
 * Creates it under another name and renames it when it is complete, so that an interrupted start leaves no partial cluster.
 * @param {{ binaries: string, place: Place, sync: boolean, statements: string[] }} options
 */
async function createCluster({ binaries, place, sync, statements }) {
  const { user, folder, cluster } = place;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(DRAFT)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const draft = join(folder, `${DRAFT}${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(draft, { mode: 0o700 });
    if (user !== null) chownSync(draft, user.uid, user.gid);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Refusal(`DATA_DIR: no folder for the database can be made in ${folder} (${code}).`);
  }
  // The built-in provider sorts and folds case the same on every machine, whatever its C library.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', draft, '-U', SUPERUSER, '--auth=trust', '--no-instructions', ...locale];
  if (!sync) args.push('--no-sync');
  const made = await runCommand(join(binaries, 'bin', 'initdb'), args, { ...user, cwd: '/', env: ENVIRONMENT });
  if (made.code !== 0) throw new Refusal(`DATA_DIR: no database can be made in ${folder}.\n${made.output.trim()}`);
  // Nothing listens until here. To set the password itself, initdb would need it in a file.
  writeFileSync(join(draft, 'pg_hba.conf'), ACCESS);
  await runAlone({ binaries, place, cluster: draft, statements });
  rmSync(cluster, { recursive: true, force: true });
  renameSync(draft, cluster);
}

/**
 * Runs statements in PostgreSQL's single-user mode, without a server.
 * @param {{ binaries: string, place: Place, cluster: string, statements: string[] }} options
 */
async function runAlone({ binaries, place, cluster, statements }) {
  const { code, output } = await runCommand(join(binaries, 'bin', 'postgres'), ['--single', '-D', cluster, 'postgres'], {
    ...place.user,
    cwd: '/',
    env: ENVIRONMENT,
    input: `${statements.join('\n')}\n`,
  });
  // Single-user mode ends with code 0 even when a statement fails.
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw new Refusal(`DATA_DIR: the database in ${place.folder} cannot be prepared.\n${output.trim()}`);
  }
}

/**
 * @param {string} binaries
 * @param {Place} place
 */
async function refuseOtherVersion(binaries, { cluster, folder }) {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const { output } = await runCommand(join(binaries, 'bin', 'postgres'), ['-V'], { env: ENVIRONMENT });
  if (output.includes(`(PostgreSQL) ${version}.`)) return;
  throw new Refusal(
    `DATA_DIR: the database in ${folder} is of PostgreSQL ${version}; this is ${output.trim()}. ` +
      'Move its content over, or delete DATA_DIR for an empty one.',
  );
}
