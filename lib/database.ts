import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type ClientOptions, clientConfig, LimitedClient } from './database/database-client.ts';

interface PoolOptions extends Omit<ClientOptions, 'onReadOnly'> {
  /** Connections at most. */
  max?: number;
  onError?: (error: Error) => void;
}

/**
 * Opens a pool; nothing connects before the first query. Dates are UTC; a statement ends after 15 seconds, and no call waits
 * longer than 20. When the server turns out to be read-only, every connection to it is given up: the next ones lead to
 * whoever is the primary then.
 */
export function createPool({ max = 10, onError, ...options }: PoolOptions): pg.Pool {
  const clients = new Set<LimitedClient>();
  const onReadOnly = () => {
    for (const client of clients)
      client.breakOff(Object.assign(new Error('the server is read-only'), { code: '25006' }));
  };
  const pool = new pg.Pool({
    ...clientConfig({ ...options, onReadOnly }),
    max,
    idleTimeoutMillis: 30_000,
    // Its type knows no client with a configuration of its own.
    Client: LimitedClient as unknown as new () => pg.ClientBase,
  });
  const report = (error: Error) => onError?.(error);
  pool.on('error', report);
  pool.on('connect', (client) => {
    clients.add(client as unknown as LimitedClient);
    // A connection that breaks while it is in use must not end the process: its query fails, which is enough.
    client.on('error', report);
  });
  pool.on('remove', (client) => clients.delete(client as unknown as LimitedClient));
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

const GONE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
]);
/**
 * Connection lost, no resources, shutting down or starting; a server that can only be read (a standby, a primary that was
 * replaced); a statement that was ended because it waited for too long, for example behind a commit that waits for a standby.
 */
const AWAY = /^(08...|53...|57P0[1-5]|25006|57014)$/;
/** What the client says without a code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed|Client has encountered a connection error)/;

/** True when the database cannot be reached, does not answer, cannot be written or has no connection left. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return (code !== undefined && (GONE.has(code) || AWAY.test(code))) || LOST.test(message);
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
