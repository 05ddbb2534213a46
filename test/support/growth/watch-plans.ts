import { createDatabase, createPool, type Database } from '@case-platform/lib/database';
import pg from 'pg';

/** A step of a plan that has run, as PostgreSQL explains it; row counts are those of one loop. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** A database whose queries are also explained; `faults` are the steps whose cost grows with the tables. */
export interface WatchedDatabase {
  db: Database;
  /** The statements since the list was last emptied. */
  statements: string[];
  faults: string[];
  end(): Promise<void>;
}

/**
 * Opens a database that runs each `select` a second time under EXPLAIN ANALYZE, with the plan for all values that the platform's
 * sessions use, and records steps that read a whole large table or more rows than a list needs.
 * @param mostRows the most rows that one step may read.
 */
export function watchPlans(url: string, bigTables: readonly string[], mostRows: number): WatchedDatabase {
  const pool = createPool({ url, name: 'plans', max: 1 });
  const db = createDatabase(pool);
  const statements: string[] = [];
  const faults: string[] = [];
  let prepared = 0;
  const watched: Database = {
    ...db,
    pipeline: () => watched,
    async query(statement) {
      const { text, values } = statement;
      if (/^\s*(select|with|\()/i.test(text)) {
        statements.push(text);
        prepared += 1;
        const name = `explained_${prepared}`;
        await pool.query(`prepare ${name} as ${text}`);
        const explain = `explain (analyze, timing off, buffers off, format json) execute ${name}${literals(values)}`;
        const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain);
        await pool.query(`deallocate ${name}`);
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
        if (plan !== undefined) faults.push(...faultsOf(plan, bigTables, mostRows));
      }
      return db.query(statement);
    },
  };
  return { db: watched, statements, faults, end: () => pool.end() };
}

/** The values of a statement as the list of an `execute`, which takes no parameters. */
function literals(values: readonly unknown[]): string {
  return values.length === 0 ? '' : ` (${values.map(literal).join(', ')})`;
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join()}}` : String(value));
}

/** Lists the steps of a plan whose cost grows with the tables. */
export function faultsOf(node: PlanNode, bigTables: readonly string[], mostRows: number): string[] {
  const below = (node.Plans ?? []).flatMap((plan) => faultsOf(plan, bigTables, mostRows));
  const { 'Node Type': type, 'Relation Name': relation = '', 'Actual Loops': loops } = node;
  const table = relation.replace(/_(until_\d{4}_\d\d|\d{4}_\d\d|default)$/, '');
  if (loops === 0) return below;
  const counters = ['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'] as const;
  const rows = counters.reduce((sum, name) => sum + (node[name] ?? 0), node['Actual Rows']) * loops;
  const step = `${type}${table === '' ? '' : ` of ${table}`}`;
  // An empty partition is read as a whole.
  if (type === 'Seq Scan' && bigTables.includes(table) && rows > 0) return [`${step} reads all of it`, ...below];
  return rows > mostRows ? [`${step} looks at ${Math.round(rows)} rows`, ...below] : below;
}
