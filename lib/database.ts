import { createHash } from 'node:crypto';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

/** Identifiers and counts stay below 2^53: they are numbers in JSON and in code. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Statements kept prepared on a connection; a shape that comes after these runs unprepared rather than filling memory. */
const PREPARED_MAX = 500;
const statementNames = new Map<string, string>();

/** Prepares each statement once a connection, under a name made from its text, whoever wrote it. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares eleven overloads; this passes each of them on unchanged.
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    if (typeof text === 'string' && Array.isArray(values) && rest.length === 0) {
      const name = statementName(text);
      return super.query(name === undefined ? { text, values } : { name, text, values });
    }
    return super.query(text, values, ...(rest as [never]));
  }
}

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined || statementNames.size >= PREPARED_MAX) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
  statementNames.set(text, name);
  return name;
}

interface PoolOptions {
  url: string;
  /** Connections at most. */
  max?: number;
  name: string;
  onError?: (error: Error) => void;
}

/** Opens a pool; nothing connects before the first query. Dates are UTC; a statement ends after 15 seconds. */
export function createPool({ url, max = 10, name, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    Client: PreparingClient,
    options: '-c timezone=UTC -c statement_timeout=15000 -c idle_in_transaction_session_timeout=30000',
  });
  const report = (error: Error) => onError?.(error);
  pool.on('error', report);
  // A connection that breaks while it is in use must not end the process: its query fails, which is enough.
  pool.on('connect', (client) => client.on('error', report));
  return pool;
}

/** A typed query builder over a pool. `Schema` is the generated type of the migrated database. */
export function createDatabase<Schema>(pool: pg.Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** A database or a transaction, of whatever schema: something that runs statements. */
export type Executor = Pick<Kysely<unknown>, 'executeQuery'>;

/** Runs a statement written out in SQL; `$1` and so on stand for the parameters. */
export async function run<Row>(db: Executor, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const result = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return result.rows;
}

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN']);

/** True when the database cannot be reached, is starting or stopping, or has no connection left. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (code !== undefined && (GONE.has(code) || /^(08|53|57P0[1-5])/.test(code))) return true;
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    message,
  );
}

/**
 * True when PostgreSQL refused a value as such (a NUL character, an invalid encoding, a number out of range):
 * classes 22021, 22P05, 22003, 22008, 22P02 of its error codes.
 */
export function isInputRefusedByDatabase(error: unknown): boolean {
  return /^(22021|22P05|22003|22008|22P02)$/.test(String((error as { code?: string } | undefined)?.code));
}

/** True when the named unique constraint refused a row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const fault = error as { code?: string; constraint?: string } | undefined;
  return fault?.code === '23505' && (constraint === undefined || fault.constraint === constraint);
}
