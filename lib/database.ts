import pg from 'pg';
import { type ClientOptions, clientConfig, LimitedClient } from './database/database-client.ts';
import type { Executor } from './sql.ts';

export type { Executor };

interface PoolOptions extends Omit<ClientOptions, 'onReadOnly' | 'onSilent'> {
  /** Connections at most. */
  max?: number;
  onError?: (error: Error) => void;
}

/**
 * Opens a pool; nothing connects before the first query. Dates are UTC; a statement ends after 15 seconds, and no call waits
 * longer than 20. When the server turns out to be read-only, every connection to it is given up: the next ones lead to
 * whoever is the primary then. When it did not answer in time, those on which nothing waits are given up: each would cost
 * whoever takes it as long again, or lead to a primary that was replaced while it was cut off.
 */
export function createPool({ max = 10, onError, ...options }: PoolOptions): pg.Pool {
  const clients = new Set<LimitedClient>();
  const inUse = new Set<LimitedClient>();
  const onReadOnly = () => {
    for (const client of clients)
      client.breakOff(Object.assign(new Error('the server is read-only'), { code: '25006' }));
  };
  const onSilent = () => {
    for (const client of clients)
      if (!inUse.has(client)) client.breakOff(new Error('the server did not answer in time'));
  };
  const pool = new pg.Pool({
    ...clientConfig({ ...options, onReadOnly, onSilent }),
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
  pool.on('acquire', (client) => inUse.add(client as unknown as LimitedClient));
  pool.on('release', (_error, client) => inUse.delete(client as unknown as LimitedClient));
  pool.on('remove', (client) => clients.delete(client as unknown as LimitedClient));
  return pool;
}

/** Where statements are run, each by itself or several in a transaction. */
export interface Database extends Executor {
  /** Runs the work in a transaction: all of it counts, or nothing. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

/** An open transaction. One within it is a part that can fail by itself: a savepoint. */
export interface Transaction extends Database {
  readonly isTransaction: true;
}

/** The database behind a pool: a statement takes whatever connection is free, a transaction keeps one until its end. */
export function createDatabase(pool: Pick<pg.Pool, 'connect'>): Database {
  return {
    async query(statement) {
      const client = await pool.connect();
      try {
        return await client.query(statement);
      } finally {
        client.release();
      }
    },
    transaction: async (work) => runTransaction(await pool.connect(), work),
  };
}

async function runTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const open = { hasEnded: false };
  try {
    await client.query('begin');
    const result = await work(transactionOf(client, open));
    open.hasEnded = true;
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('a statement failed in a transaction that went on: nothing was kept');
    client.release();
    return result;
  } catch (error) {
    open.hasEnded = true;
    // A connection that cannot even do this is of no use to the next.
    await client.query('rollback').then(
      () => client.release(),
      (broken) => client.release(broken),
    );
    throw error;
  }
}

function transactionOf(client: pg.PoolClient, open: { hasEnded: boolean }): Transaction {
  let last: Promise<unknown> = Promise.resolve();
  const ask: Executor['query'] = (statement) => {
    // It would count, or get into what the connection does next.
    if (open.hasEnded) throw new Error('a statement came after the end of its transaction');
    return client.query(statement);
  };
  const tx: Transaction = {
    isTransaction: true,
    // One after the other, also where several are asked at once: the connection takes no second one meanwhile.
    query(statement) {
      const asked = last.then(() => ask(statement));
      last = asked.catch(() => {});
      return asked;
    },
    async transaction(work) {
      await tx.query({ text: 'savepoint part', values: [] });
      try {
        const result = await work(tx);
        await tx.query({ text: 'release savepoint part', values: [] });
        return result;
      } catch (error) {
        await tx.query({ text: 'rollback to savepoint part', values: [] });
        // Otherwise the part around this one would find this savepoint under its name, and undo only what came after it.
        await tx.query({ text: 'release savepoint part', values: [] });
        throw error;
      }
    },
  };
  return tx;
}

const GONE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
]);
/**
 * Connection lost, our password refused, no resources, shutting down or starting; a server that can only be read (a standby, a primary that was
 * replaced); a statement that was ended because it waited for too long, for example behind a commit that waits for a standby.
 */
const AWAY = /^(08...|28...|53...|57P0[1-5]|25006|57014)$/;
/** What the client says without a code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed|Client has encountered a connection error)/;

/** True when the database cannot be reached, does not let us in, does not answer, cannot be written or has no connection left. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return (code !== undefined && (GONE.has(code) || AWAY.test(code))) || LOST.test(message);
}

/** True when PostgreSQL ended a transaction in favour of another one (40001, 40P01): the same again succeeds. */
export function isOvertaken(error: unknown): boolean {
  return /^40(001|P01)$/.test(String((error as { code?: string } | undefined)?.code));
}

/**
 * True when PostgreSQL refused a value as such (a NUL character, an invalid encoding, a number or a date out of range):
 * classes 22021, 22P05, 22003, 22007, 22008, 22009, 22P02 of its error codes.
 */
export function isInputRefusedByDatabase(error: unknown): boolean {
  return /^(22021|22P05|22003|22007|22008|22009|22P02)$/.test(String((error as { code?: string } | undefined)?.code));
}

/** True when the named unique constraint refused a row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const fault = error as { code?: string; constraint?: string } | undefined;
  return fault?.code === '23505' && (constraint === undefined || fault.constraint === constraint);
}
