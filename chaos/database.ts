import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres/postgres.mjs';
import { placePostgres } from '../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';

/** While people write, something is published every 100 ms. */
const PUBLISHES_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 200;
/** The process that publishes holds this lock until its commit (`take_outbox`). */
const PUBLISHER = `select usename as role from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid::bigint << 32 | objid::bigint = 7214010005`;

type Server = Awaited<ReturnType<typeof startPostgres>>;

/**
 * A PostgreSQL that is as durable as in production and can be ended in immediate mode, and its standby, for which commits wait
 * and which can be promoted.
 */
export class ChaosDatabase {
  restarts = 0;
  promotions = 0;
  #server: Server;
  #folder: string;
  #standby: { server: Server; folder: string } | null = null;
  readonly #ports: readonly [primary: number, standby: number];

  private constructor(server: Server, folder: string, standbyPort: number) {
    this.#server = server;
    this.#folder = folder;
    this.#ports = [server.port, standbyPort];
  }

  static async start(folder: string): Promise<ChaosDatabase> {
    const [port = 0, standbyPort = 0] = await freePorts(2);
    return new ChaosDatabase(await startPostgres({ dataDir: folder, mode: 'durable', port }), folder, standbyPort);
  }

  /** The address of the server that is writable now, as superuser. */
  get url(): string {
    return this.#server.url;
  }

  /** The address of both servers, of which the writable one is used, in a role. */
  urlAs(role: string): string {
    const { password, pathname } = new URL(this.#server.url);
    const hosts = this.#ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgres://${role}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;
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
      const server = await startPostgres({ dataDir: folder, mode: 'durable', port: this.#ports[1] });
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

  /** Lists all messages, as soon as the server answers. @returns their ids */
  async listMessages(): Promise<number[]> {
    for (;;) {
      const client = new pg.Client({ connectionString: this.#server.url });
      // The server can end meanwhile.
      client.on('error', () => {});
      try {
        await client.connect();
        const { rows } = await client.query('select id::int from message');
        return rows.map(({ id }) => id);
      } catch {
        await sleep(LOOK_EVERY_MS);
      } finally {
        await client.end().catch(() => {});
      }
    }
  }

  /** @returns the role of the process that publishes events now, or null if the server is away or there is nothing to publish. */
  async findPublisher(): Promise<string | null> {
    const client = new pg.Client({ connectionString: this.#server.url });
    // The server can end meanwhile.
    client.on('error', () => {});
    try {
      await client.connect();
      for (const until = performance.now() + PUBLISHES_WITHIN_MS; performance.now() < until; ) {
        const { rows } = await client.query(PUBLISHER);
        if (rows.length > 0) return rows[0].role;
      }
      return null;
    } catch {
      return null;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async stop(): Promise<void> {
    await this.#standby?.server.stop();
    await this.#server.stop();
  }
}
