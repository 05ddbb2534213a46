import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { createPool, type Database } from '@case-platform/lib/database';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../database.ts';
import { startOwnCluster } from '../own-cluster.ts';

/** PostgreSQL's statistics of a platform with a million messages, made by `take-statistics.ts`. */
export const LARGE_TABLES = join(import.meta.dirname, 'large-tables.jsonl');
const PAGE_BYTES = 8192;
/** These are of type real[] or text; the others are single numbers. */
const LISTS = ['most_common_freqs', 'most_common_elem_freqs', 'elem_count_histogram'];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Total Cost': number;
  Plans?: Plan[];
}

/**
 * Opens an almost empty database that the planner treats like one with a million messages. It has the statistics of such a
 * database, and files of the same length that are empty after their first pages. Only EXPLAIN is run there.
 */
async function openLargeDatabase(): Promise<pg.Pool> {
  const url = await makeDatabase();
  const pool = createPool({ url, name: 'large', max: 1 });
  after(() => pool.end());
  const { rows: places } = await pool.query<{ relation: string; file: string }>(
    `select relname as relation, current_setting('data_directory') || '/' || pg_relation_filepath(oid) as file from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  );
  const fileOf = new Map(places.map(({ relation, file }) => [relation, file]));
  const lines = readFileSync(LARGE_TABLES, 'utf8').trim().split('\n');
  for (const { relation, column, ...noted } of lines.map((line) => JSON.parse(line))) {
    const file = fileOf.get(relation);
    // This index no longer exists.
    if (file === undefined) continue;
    if (column === undefined) {
      await pool.query(
        `select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', $2::int,
                                          'reltuples', $3::real, 'relallvisible', $4::int)`,
        [relation, noted.pages, noted.tuples, noted.visible],
      );
      truncateSync(file, noted.pages * PAGE_BYTES);
    } else await restoreColumn(pool, relation, column, noted);
  }
  return pool;
}

async function restoreColumn(pool: pg.Pool, relation: string, column: string, noted: object): Promise<void> {
  const present = Object.entries(noted).filter(([, value]) => value !== null);
  const typeOf = (name: string) => {
    if (name === 'avg_width') return 'int';
    if (LISTS.includes(name)) return 'real[]';
    return ['null_frac', 'n_distinct', 'correlation'].includes(name) ? 'real' : 'text';
  };
  const pairs = present.map(([name], at) => `'${name}', $${at + 3}::${typeOf(name)}`);
  await pool.query(
    `select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1::text, 'attname', $2::text, 'inherited', false,
                                       ${pairs.join(', ')})`,
    [relation, column, ...present.map(([, value]) => value)],
  );
}

/** Uses the tests' own server, or a new one if that server is remote or too old for setting statistics. */
async function makeDatabase(): Promise<string> {
  const { url } = await createTestDatabase();
  const own = serverUrl(new URL(url).pathname.slice(1));
  const client = new pg.Client({ connectionString: own });
  await client.connect();
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int >= 180000 as is_new, current_setting('data_directory') as folder`,
  );
  await client.end();
  if (rows[0].is_new && existsSync(join(rows[0].folder, 'PG_VERSION'))) return own;
  const cluster = await startOwnCluster();
  const pool = createPool({ url: cluster.url, name: 'large', max: 1 });
  await migrate(pool);
  await pool.end();
  return cluster.url;
}

/**
 * Runs statements on `db`, and explains each `select` as it would be planned with a million messages.
 * @param mostCost the limit in the planner's units: reading a page sequentially costs 1.
 */
export async function watchLargePlans(
  db: Database,
  bigTables: readonly string[],
  mostCost: number,
): Promise<{ db: Database; faults: string[] }> {
  const pool = await openLargeDatabase();
  const faults: string[] = [];
  const watched: Database = {
    ...db,
    async query(statement) {
      const { text, values } = statement;
      if (/^\s*(select|with|\()/i.test(text)) {
        const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
        const plan = rows[0]?.['QUERY PLAN'][0].Plan;
        if (plan !== undefined && plan['Total Cost'] > mostCost) faults.push(`costs ${plan['Total Cost']}: ${text}`);
        if (plan !== undefined) faults.push(...wholeTables(plan, bigTables).map((table) => `reads all of ${table}: ${text}`));
      }
      return db.query(statement);
    },
  };
  return { db: watched, faults };
}

function wholeTables(plan: Plan, bigTables: readonly string[]): string[] {
  const below = (plan.Plans ?? []).flatMap((one) => wholeTables(one, bigTables));
  const table = plan['Relation Name'] ?? '';
  return plan['Node Type'] === 'Seq Scan' && bigTables.includes(table) ? [table, ...below] : below;
}
