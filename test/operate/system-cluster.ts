import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { runCommand } from '../../scripts/checkout/run-command.mjs';
import { postgresUser } from '../../scripts/postgres/postgres-user.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { eventually } from '../support/eventually.ts';

const INSTALLED = '/usr/lib/postgresql';

/** The PostgreSQL versions that are installed on the machine; most machines have none. */
export function listSystemVersions(): string[] {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  return versions.filter((version) => Number(version) >= 15 && existsSync(join(INSTALLED, version, 'bin/initdb')));
}

/**
 * Starts a server of this version with an empty database. It is removed after the tests of the file.
 * @returns the address of the database.
 */
export async function startSystemCluster(version: string): Promise<string> {
  const user = postgresUser('');
  const folder = mkdtempSync(join(tmpdir(), 'system-cluster-'));
  chmodSync(folder, 0o711);
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const run = (program: string, args: string[], options = {}) =>
    runCommand(join(INSTALLED, version, 'bin', program), args, { ...user, cwd: '/', ...options });
  const data = join(folder, 'data');
  const made = await run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
  if (made.code !== 0) throw new Error(made.output);
  const [port = 0] = await freePorts(1);
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  let pid: number | undefined;
  const ended = run('postgres', ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    onStart: (started: number | undefined) => {
      pid = started;
    },
  });
  after(async () => {
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually('the server answers', async () => {
    const client = new pg.Client({ connectionString: url });
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    if (isThere) await client.query('create database restored');
    await client.end();
    return isThere;
  });
  return url.replace(/\/postgres$/, '/restored');
}
