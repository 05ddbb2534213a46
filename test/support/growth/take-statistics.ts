import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { seedBench } from '../../../bench/seed-bench.ts';
import { startPostgres } from '../../../scripts/postgres/postgres.mjs';
import { TEST_SECRETS } from '../database.ts';
import { LARGE_TABLES } from './large-tables.ts';
import { fillMany } from './seed-many.ts';

/**
 * Writes large-tables.jsonl again: `node test/support/growth/take-statistics.ts`. Fills a new database like the benchmark does,
 * with a million messages, then like the tests of plans do, with a hundred thousand rows of everything, and stores PostgreSQL's
 * statistics of each table. Takes some minutes and 3 GB. `FILLED` can name a database that was already filled this way.
 */
const RELATIONS = `
  select c.relname as relation, c.relpages as pages, c.reltuples::bigint as tuples, c.relallvisible as visible
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and c.relpages > 0 order by 1`;
const COLUMNS = `
  select tablename as relation, attname as column, null_frac, avg_width, n_distinct, correlation,
         most_common_vals::text, most_common_freqs::text, histogram_bounds::text, most_common_elems::text,
         most_common_elem_freqs::text, elem_count_histogram::text
    from pg_stats where schemaname = 'public' and not inherited order by 1, 2`;

async function takeFrom(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Enough detail for plans, without a file of several megabytes.
  await client.query('set statement_timeout = 0; set default_statistics_target = 20');
  await client.query('analyze');
  const lines = [...(await client.query(RELATIONS)).rows, ...(await client.query(COLUMNS)).rows];
  writeFileSync(LARGE_TABLES, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await client.end();
}

async function fill(url: string): Promise<void> {
  await seedBench({ url, encryptionKey: TEST_SECRETS.encryptionKey, messages: 1_000_000 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fillMany(client, 100_000);
  // One specialist has very many cases with very many conversations.
  await client.query(`update case_file set escrow_specialist_id = (
    select id from user_account where email_address = 'bench-admin-7@demo.test') where name like 'Bench case %' and id between 5000 and 5519`);
  await client.end();
}

if (process.env.FILLED !== undefined) await takeFrom(process.env.FILLED);
else {
  const folder = mkdtempSync(join(tmpdir(), 'statistics-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const postgres = await startPostgres({ dataDir, mode: 'throwaway' });
  await fill(postgres.url);
  await takeFrom(postgres.url);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
