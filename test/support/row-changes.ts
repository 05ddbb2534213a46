import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql, trustedSql, unionOf } from '@case-platform/lib/sql';
import type { RowNames, ValueWords } from './written-values.ts';

interface Column {
  table_name: string;
  column_name: string;
  /** The table that the column references, or null. */
  refers_to: string | null;
  is_key: boolean;
}

type Row = Record<string, unknown>;
type Rows = Map<string, { table: string; row: Row }>;

/** These columns distinguish rows of the same owner. Their values never change, or name what the row is about. */
const TELLING = ['purpose', 'channel', 'event', 'layer', 'action', 'task', 'key', 'endpoint', 'address', 'position'];
/** These columns change with every update of a row, or are derived from the others. */
const LEFT_OUT = ['updated_at', 'search', 'search_version', 'written_in'];

/** The outbox is emptied meanwhile, and the others only repeat what triggers read in rows that are listed. */
const MIRRORS = ['outbox', 'outbox_publisher', 'database_run', 'delivery_key', 'last_sign_in'];

/** Lists everything in the database that a piece of work changes. It is created once for a schema. */
export interface RowChanges {
  during(tx: Executor, work: () => Promise<unknown>): Promise<Changed>;
}

interface Changed {
  /**
   * @param names of rows and their owners, which distinguish changed rows. Without any, their ids do.
   * @returns a sorted line for each row: `table owner kind: column before -> after` for a changed one, `- table {…}` for a deleted
   * one, and `+ table {…}` for a new one.
   */
  values(words: ValueWords, names?: RowNames): string[];
}

export async function watchRows(db: Executor): Promise<RowChanges> {
  const columns = await listColumns(db);
  const tables = [...new Set(columns.map(({ table_name }) => table_name))];
  const columnsOf = new Map(tables.map((table) => [table, columns.filter(({ table_name }) => table_name === table)]));
  const everything = unionOf([...tables.map((table) => rowsOf(table)), JOBS]);
  const read = async (tx: Executor): Promise<Rows> => {
    const rows = await query<{ table: string; row: Row }>(tx, everything);
    return new Map(rows.map((one) => [identify(one.table, one.row, columnsOf.get(one.table) ?? []), one]));
  };
  return {
    async during(tx, work) {
      const before = await read(tx);
      await work();
      const after = await read(tx);
      return {
        values: (words, names) =>
          writeValues(before, after, words, (table, row) =>
            names === undefined
              ? words(row.id ?? row.user_id ?? '')
              : label(table, row, columnsOf.get(table) ?? [], names).join(' '),
          ),
      };
    },
  };
}

const changedColumns = (row: Row, now: Row): string[] =>
  Object.keys(row)
    .filter((column) => JSON.stringify(row[column]) !== JSON.stringify(now[column]))
    .sort();

function writeValues(before: Rows, after: Rows, words: ValueWords, name: (table: string, row: Row) => string): string[] {
  const inOrder = (rows: Rows) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const isNew = inOrder(after).flatMap(([key, one]) => (before.has(key) ? [] : [one]));
  const numbered = isNew.filter(({ row }) => typeof row.id === 'number');
  for (const { table, row } of numbered.sort((a, b) => Number(a.row.id) - Number(b.row.id))) words.nameRow(table, row.id);
  const lines = inOrder(before).flatMap(([key, { table, row }]) => {
    const now = after.get(key)?.row;
    if (now === undefined) return [`- ${table} ${words(filled(row))}`];
    const values = changedColumns(row, now).map((column) => `${column} ${words(row[column])} -> ${words(now[column])}`);
    return values.length === 0 ? [] : [`${table} ${name(table, row)}: ${values.join(', ')}`];
  });
  const added = isNew.map(({ table, row }) => `+ ${table} ${words(filled(row))}`);
  return [...lines.sort(), ...added.sort()];
}

const filled = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

const rowsOf = (table: string): Sql =>
  sql`select ${trustedSql(`'${table}'`)} as "table", to_jsonb(t) - ${LEFT_OUT}::text[] as row from ${trustedSql(table)} t`;

const JOBS = sql`select 'job', jsonb_build_object('id', j.id, 'task', t.identifier, 'payload', j.payload, 'attempts', j.attempts,
    'locked_by', j.locked_by) from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`;

function listColumns(db: Executor): Promise<Column[]> {
  return query<Column>(
    db,
    sql`select c.relname::text as table_name, a.attname::text as column_name,
               (select f.confrelid::regclass::text from pg_constraint f
                 where f.conrelid = c.oid and f.contype = 'f' and f.conkey = array[a.attnum] limit 1) as refers_to,
               coalesce(a.attnum = any(k.conkey), false) as is_key
          from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join lateral (select conkey from pg_constraint where conrelid = c.oid and contype in ('p', 'u')
                              order by contype limit 1) k on true
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
            and c.relname <> all(${MIRRORS}::text[]) order by c.relname, a.attnum`,
  );
}

function identify(table: string, row: Row, columns: Column[]): string {
  const keys = columns.filter(({ is_key }) => is_key).map(({ column_name }) => row[column_name]);
  return `${table} ${JSON.stringify(keys.length > 0 ? keys : (row.id ?? row))}`;
}

function label(table: string, row: Row, columns: Column[], names: RowNames): string[] {
  const own = names.get(`${table}:${row.id}`);
  if (own !== undefined) return [own];
  const owners = columns.flatMap(({ column_name, refers_to }) => names.get(`${refers_to}:${row[column_name]}`) ?? []);
  return [...new Set(owners), ...TELLING.flatMap((column) => words(row[column]))];
}

/** The readable form of a value; empty for binary values. */
function words(value: unknown): string[] {
  const text = String(value ?? '');
  return text === '' || text.startsWith('\\x') ? [] : [text];
}
