import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres/postgres.mjs';
import { placePostgres } from '../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';

type Server = Awaited<ReturnType<typeof startPostgres>>;

/**
 * A PostgreSQL that is as durable as in production and can be ended in immediate mode, and its standby, for which commits wait and
 * which can be promoted.
 */
export class ChaosDatabase {
  restarts = 0;
  promotions = 0;
  #server: Server;
  #folder: string;
  #standby: { server: Server; folder: string } | null = null;
  /** The addresses of both servers, of which the writable one is used. */
  readonly applicationUrl: string;
  readonly #standbyPort: number;

  private constructor(server: Server, folder: string, standbyPort: number) {
    this.#server = server;
    this.#folder = folder;
    this.#standbyPort = standbyPort;
    const both = `127.0.0.1:${server.port},127.0.0.1:${standbyPort}`;
    this.applicationUrl = `${server.urlAs().replace(`127.0.0.1:${server.port}`, both)}?target_session_attrs=read-write`;
  }

  static async start(folder: string): Promise<ChaosDatabase> {
    const [port = 0, standbyPort = 0] = await freePorts(2);
    return new ChaosDatabase(await startPostgres({ dataDir: folder, mode: 'durable', port }), folder, standbyPort);
  }

  /** The address of the server that is writable now, as superuser and in the role of the platform. */
  get current(): { url: string; applicationUrl: string } {
    return { url: this.#server.url, applicationUrl: this.#server.urlAs() };
  }

  /** Copies the server while it runs, as the PostgreSQL manual describes, and starts a standby that its commits wait for. */
  async addStandby(): Promise<void> {
    const { url, port } = this.#server;
    const primary = placePostgres(this.#folder);
    const folder = join(this.#folder, 'standby');
    mkdirSync(folder, { mode: 0o711 });
    appendFileSync(join(primary.cluster, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('select pg_reload_conf()');
      await client.query(`select pg_backup_start('standby', true)`);
      const { cluster } = placePostgres(folder);
      spawnSync('cp', ['-a', primary.cluster, cluster]);
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
      rmSync(join(cluster, 'postmaster.pid'), { force: true });
      const { password } = new URL(url);
      const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
      appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
      for (const [name, text] of [
        ['backup_label', rows[0].labelfile],
        ['standby.signal', ''],
      ]) {
        writeFileSync(join(cluster, name), text);
        if (primary.user !== null) chownSync(join(cluster, name), primary.user.uid, primary.user.gid);
      }
      copyFileSync(join(this.#folder, 'postgres.password'), join(folder, 'postgres.password'));
      const server = await startPostgres({ dataDir: folder, mode: 'durable', port: this.#standbyPort });
      this.#standby = { server, folder };
      await client.query(`alter system set synchronous_standby_names = 'standby'`);
      await client.query('select pg_reload_conf()');
    } finally {
      await client.end();
    }
  }

  /** Ends the server in immediate mode, and starts it again. */
  async restart(): Promise<void> {
    this.restarts += 1;
    const { port } = this.#server;
    this.#server.kill();
    await this.#server.ended;
    this.#server = await startPostgres({ dataDir: this.#folder, mode: 'durable', port });
  }

  /** Loses the server for good, and promotes the standby. Without one left, the server restarts instead. */
  async promote(): Promise<void> {
    if (this.#standby === null) return this.restart();
    this.promotions += 1;
    this.#server.kill();
    await this.#server.ended;
    const { server, folder } = this.#standby;
    this.#standby = null;
    this.#server = server;
    this.#folder = folder;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('select pg_promote()');
    await client.end();
  }

  async stop(): Promise<void> {
    await this.#standby?.server.stop();
    await this.#server.stop();
  }
}
