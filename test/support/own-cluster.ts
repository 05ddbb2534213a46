import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../scripts/postgres/postgres.mjs';

export interface OwnCluster extends Postgres {
  /** Runs statements as the superuser, each by itself. */
  run(...statements: string[]): Promise<void>;
}

/** A PostgreSQL server of one's own, for tests that change what a whole server does; gone after the file's tests. */
export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  // The user that PostgreSQL runs as must be able to pass through.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  const postgres = await startPostgres({ dataDir, mode: 'throwaway' });
  after(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    // One by one: `alter system` takes no transaction, and several statements in one text are one.
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  return { ...postgres, run };
}

/** Has a database pass transactions that are numbered, one after the other. */
export const passTransactions = (pool: { query: (text: string) => Promise<unknown> }, count: number) =>
  pool.query(`do $$ begin for n in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`);
