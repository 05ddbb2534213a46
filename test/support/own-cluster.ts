import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../scripts/postgres/postgres.mjs';

export interface OwnCluster extends Postgres {
  /** Runs statements as the superuser, each on its own. */
  run(...statements: string[]): Promise<void>;
  /** Ends the server in immediate mode, and starts it again on the same port. */
  crash(): Promise<void>;
}

/** Starts a PostgreSQL server for tests that change the whole server. It is removed after the tests of the file. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  // The user that runs PostgreSQL needs access to the folders inside.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  const postgres = await startPostgres({ dataDir, mode: 'throwaway' });
  let current = postgres;
  after(async () => {
    await current.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    // `alter system` cannot run in a transaction, and several statements in one query are a transaction.
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const crash = async () => {
    current.kill();
    await current.ended;
    current = await startPostgres({ dataDir, mode: 'throwaway', port: postgres.port });
  };
  return { ...postgres, run, crash };
}

/** Runs this many transactions that have a number, one after another. */
export const passTransactions = (pool: { query: (text: string) => Promise<unknown> }, count: number) =>
  pool.query(`do $$ begin for n in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`);
