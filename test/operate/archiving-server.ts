import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { runCommand } from '../../scripts/checkout/run-command.mjs';
import { postgresBinaries } from '../../scripts/postgres/postgres-binaries.mjs';
import { postgresUser } from '../../scripts/postgres/postgres-user.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { eventually } from '../support/eventually.ts';
import { listSystemVersions } from './system-cluster.ts';

/** The available PostgreSQL installations: the platform's own, and those of the machine. */
export function listPrograms(): { name: string; bin: string }[] {
  const own = { name: 'the platform’s PostgreSQL', bin: join(postgresBinaries(postgresUser('')), 'bin') };
  const system = listSystemVersions().map((version) => ({
    name: `PostgreSQL ${version}`,
    bin: `/usr/lib/postgresql/${version}/bin`,
  }));
  return [own, ...system];
}

/** A server that archives its log as docs/data.md describes it. It is removed after the tests of the file. */
export class ArchivingServer {
  readonly archive: string;
  readonly #bin: string;
  readonly #folder: string;
  readonly #user = postgresUser('');
  #data: string;
  #port = 0;
  #pid: number | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(bin: string) {
    this.#bin = bin;
    this.#folder = mkdtempSync(join(tmpdir(), 'archiving-'));
    chmodSync(this.#folder, 0o711);
    this.archive = this.#makeFolder('archive');
    this.#data = join(this.#makeFolder('server'), 'data');
    after(async () => {
      await this.lose();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/platform`;
  }

  async begin(): Promise<void> {
    await this.#run('initdb', ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
    const keep = `test ! -f ${this.archive}/%f && cp %p ${this.archive}/%f`;
    appendFileSync(
      join(this.#data, 'postgresql.conf'),
      `archive_mode = on\narchive_command = '${keep}'\nrestore_command = 'cp ${this.archive}/%f %p'\nfsync = off\n`,
    );
    await this.#start();
    await this.#query('postgres', 'create database platform');
  }

  /** Copies the whole cluster while it is in use: with `pg_basebackup`, or without it as the PostgreSQL manual describes. */
  async copy(): Promise<string> {
    const copy = join(this.#makeFolder('copies'), 'base');
    if (existsSync(join(this.#bin, 'pg_basebackup'))) {
      const place = ['-h', '127.0.0.1', '-p', String(this.#port), '-U', 'postgres'];
      await this.#run('pg_basebackup', ['-D', copy, '-X', 'none', '-c', 'fast', '--no-sync', ...place]);
      return copy;
    }
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query(`select pg_backup_start('base', true)`);
    await runCommand('cp', ['-R', this.#data, copy], { ...this.#user, cwd: '/' });
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
      rmSync(join(copy, name), { recursive: true, force: true });
    for (const empty of ['pg_wal', 'pg_wal/archive_status']) this.#own(join(copy, empty), true);
    writeFileSync(join(copy, 'backup_label'), rows[0].labelfile);
    this.#own(join(copy, 'backup_label'));
    return copy;
  }

  /** Starts a standby that streams this server's log. */
  async startStandby(): Promise<ArchivingServer> {
    const standby = new ArchivingServer(this.#bin);
    standby.#data = await this.copy();
    const primary = `primary_conninfo = 'host=127.0.0.1 port=${this.#port} user=postgres'\n`;
    appendFileSync(join(standby.#data, 'postgresql.conf'), `${primary}restore_command = ''\narchive_mode = off\n`);
    writeFileSync(join(standby.#data, 'standby.signal'), '');
    standby.#own(join(standby.#data, 'standby.signal'));
    await standby.#start();
    return standby;
  }

  /** Waits until everything written so far is in the archive. */
  async archiveAll(): Promise<void> {
    const [{ name }] = (await this.#query('platform', 'select pg_walfile_name(pg_switch_wal()) as name')) as [{ name: string }];
    await eventually('the log is archived', async () => existsSync(join(this.archive, name)));
  }

  /** Simulates the loss of the machine with its disk. */
  async lose(): Promise<void> {
    if (this.#pid !== undefined) process.kill(-this.#pid, 'SIGKILL');
    this.#pid = undefined;
    await this.#ended;
    rmSync(this.#data, { recursive: true, force: true });
  }

  /** Restores the server from a copy and the archive, up to this moment. */
  async recover(copy: string, moment: string): Promise<void> {
    this.#data = copy;
    const until = `recovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\n`;
    appendFileSync(join(copy, 'postgresql.conf'), until);
    writeFileSync(join(copy, 'recovery.signal'), '');
    this.#own(join(copy, 'recovery.signal'));
    await this.#start();
    await eventually('the recovery is over', async () => {
      const [row] = await this.#query('platform', 'select pg_is_in_recovery() as recovering');
      return row?.recovering === false;
    });
  }

  async #start(): Promise<void> {
    const [port = 0] = await freePorts(1);
    this.#port = port;
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const args = ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])];
    this.#ended = runCommand(join(this.#bin, 'postgres'), args, {
      ...this.#user,
      cwd: '/',
      onStart: (pid) => {
        this.#pid = pid;
      },
    });
    await eventually('the server answers', () => this.#query('postgres', 'select 1').then(Boolean, () => false));
  }

  async #query(database: string, statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url.replace(/platform$/, database) });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async #run(program: string, args: string[]): Promise<void> {
    const { code, output } = await runCommand(join(this.#bin, program), args, { ...this.#user, cwd: '/' });
    if (code !== 0) throw new Error(`${program}: ${output}`);
  }

  #makeFolder(name: string): string {
    const folder = join(this.#folder, name);
    this.#own(folder, true);
    return folder;
  }

  #own(path: string, isFolder = false): void {
    if (isFolder) mkdirSync(path, { mode: 0o700 });
    if (this.#user !== null) chownSync(path, this.#user.uid, this.#user.gid);
  }
}
