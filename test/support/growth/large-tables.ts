import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { migrate } from '@case-platform/db/migrate';
import { createPool, type Database } from '@case-platform/lib/database';
import pg from 'pg';
import { createTestDatabase, serverUrl } from '../database.ts';
import { startOwnCluster } from '../own-cluster.ts';

/** What PostgreSQL has noted about a platform with a million messages; `take-statistics.ts` makes it. */
export const LARGE_TABLES = join(import.meta.dirname, 'large-tables.jsonl');
const PAGE_BYTES = 8192;
/** As real[] or as text; the others are single numbers. */
const LISTS = ['most_common_freqs', 'most_common_elem_freqs', 'elem_count_histogram'];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Total Cost': number;
  Plans?: Plan[];
}

/**
 * A database with hardly a row in it that the planner takes for one with a million messages: it has the statistics of such a one,
 * and each file is as long, with nothing behind its first pages. Nothing but EXPLAIN is run there.
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
    // An index that is no more.
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
  const known = Object.entries(noted).filter(([, value]) => value !== null);
  const typeOf = (name: string) => {
    if (name === 'avg_width') return 'int';
    if (LISTS.includes(name)) return 'real[]';
    return ['null_frac', 'n_distinct', 'correlation'].includes(name) ? 'real' : 'text';
  };
  const pairs = known.map(([name], at) => `'${name}', $${at + 3}::${typeOf(name)}`);
  await pool.query(
    `select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1::text, 'attname', $2::text, 'inherited', false,
                                       ${pairs.join(', ')})`,
    [relation, column, ...known.map(([, value]) => value)],
  );
}

/** On the tests' own server, or, where that is elsewhere or too old to be told statistics, on one of this test's. */
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
 * Runs statements where they are asked, and has each `select` explained as it would be run at a million messages.
 * @param mostCost by the planner's measure: a page that is read one after the other costs 1.
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
        if (plan !== undefined)
          faults.push(...wholeTables(plan, bigTables).map((table) => `reads all of ${table}: ${text}`));
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
