import pg from 'pg';
import { type ClientOptions, clientConfig, LimitedClient } from './database/database-client.ts';
import type { Executor } from './sql.ts';

export type { Executor };

interface PoolOptions extends Omit<ClientOptions, 'onReadOnly' | 'onSilent'> {
  max?: number;
  onError?: (error: Error) => void;
}

/**
 * Opens a pool; nothing connects before the first query. Dates are UTC, a statement ends after 15 seconds, and one that a silent
 * server does not answer fails after 20. When the server turns out to be read-only, all connections to it are closed, so that the
 * next ones find the current primary. When it did not answer in time, idle connections are closed: each would make its next user
 * wait as long again, or lead to a primary that was cut off and replaced (DATABASE-3).
 */
export function createPool({ max = 10, onError, ...options }: PoolOptions): pg.Pool {
  const clients = new Set<LimitedClient>();
  const inUse = new Set<LimitedClient>();
  const onReadOnly = () => {
    for (const client of clients) client.breakOff(Object.assign(new Error('the server is read-only'), { code: '25006' }));
  };
  const onSilent = () => {
    for (const client of clients) if (!inUse.has(client)) client.breakOff(new Error('the server did not answer in time'));
  };
  const pool = new pg.Pool({
    ...clientConfig({ ...options, onReadOnly, onSilent }),
    max,
    idleTimeoutMillis: 30_000,
    // The type does not know clients with their own configuration.
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

/** Runs statements, by themselves or in a transaction. */
export interface Database extends Executor {
  /** Commits all of the work, or nothing. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Statements sent to the returned executor before it has answered share a connection, and take one round trip. They run one
   * after the other, so this is for a few short ones.
   */
  pipeline(): Executor;
}

/** An open transaction. A transaction within it is a savepoint, which can fail by itself. */
export interface Transaction extends Database {
  readonly isTransaction: true;
}

type ConnectingPool = Pick<pg.Pool, 'connect'> & { options?: object };

/** The database behind a pool: each statement uses any free connection, and a transaction keeps one until it ends. */
export function createDatabase(pool: ConnectingPool): Database {
  const database: Database = {
    async query(statement) {
      const client = await pool.connect();
      try {
        return await client.query(statement);
      } finally {
        client.release();
      }
    },
    transaction: async (work) => runTransaction(await pool.connect(), work),
    pipeline: () => (hasSession(pool) ? pipelineOn(pool) : database),
  };
  return database;
}

function hasSession({ options = {} }: ConnectingPool): boolean {
  return !('hasSession' in options) || options.hasSession === true;
}

function pipelineOn(pool: ConnectingPool): Executor {
  let connecting: Promise<pg.PoolClient> | null = null;
  let running = 0;
  return {
    async query(statement) {
      connecting ??= pool.connect();
      running += 1;
      let client: pg.PoolClient | undefined;
      try {
        client = await connecting;
        setPipelining(client, true);
        return await client.query(statement);
      } finally {
        running -= 1;
        if (running === 0) {
          connecting = null;
          if (client !== undefined) setPipelining(client, false);
          client?.release();
        }
      }
    },
  };
}

async function runTransaction<Result>(client: pg.PoolClient, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const open = { hasEnded: false };
  try {
    await client.query('begin');
    setPipelining(client, true);
    const result = await work(transactionOf(client, open));
    open.hasEnded = true;
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('a statement failed in a transaction that continued: nothing was committed');
    setPipelining(client, false);
    client.release();
    return result;
  } catch (error) {
    open.hasEnded = true;
    // A connection that cannot roll back is useless to its next user.
    await client.query('rollback').then(
      () => {
        setPipelining(client, false);
        client.release();
      },
      (broken) => client.release(broken),
    );
    throw error;
  }
}

/**
 * Lets statements be sent before earlier ones are answered, which pg looks up at each statement. Behind a pooler only those of a
 * transaction may be: after any other one, the pooler may give the connection to another client.
 */
function setPipelining(client: pg.PoolClient, isOn: boolean): void {
  (client as { pipeline: boolean }).pipeline = isOn;
}

function transactionOf(client: pg.PoolClient, open: { hasEnded: boolean }): Transaction {
  const tx: Transaction = {
    isTransaction: true,
    pipeline: () => tx,
    // Statements that are sent at once take one round trip. The server runs them one after the other, and after one that failed
    // it rejects the others.
    async query(statement) {
      // The statement would be applied by itself, or become part of the connection's next transaction.
      if (open.hasEnded) throw new Error('a statement came after the end of its transaction');
      return client.query(statement);
    },
    async transaction(work) {
      await tx.query({ text: 'savepoint part', values: [] });
      try {
        const result = await work(tx);
        await tx.query({ text: 'release savepoint part', values: [] });
        return result;
      } catch (error) {
        await tx.query({ text: 'rollback to savepoint part', values: [] });
        // Without this, the enclosing savepoint of the same name would stay hidden behind this one, and undo only what came after
        // it.
        await tx.query({ text: 'release savepoint part', values: [] });
        throw error;
      }
    },
  };
  return tx;
}

const GONE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
]);
/**
 * A lost connection, a rejected role or password, no resources, a server that is starting or shutting down, a server that is
 * read-only (a standby, or a primary that was replaced), a statement that was canceled because it waited too long, for example
 * behind a commit that waits for a standby, or a name that a pooler has stopped tracking (SCALE-3).
 */
const AWAY = /^(08...|28...|53...|57P0[1-5]|25006|57014|26000|42P05)$/;
/** Errors of the client that have no code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed|Client has encountered a connection error)/;

/** True when the database cannot be reached, rejects our role, does not answer, cannot be written, or has no free connection. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return (code !== undefined && (GONE.has(code) || AWAY.test(code))) || LOST.test(message);
}

/** True when PostgreSQL aborted a transaction in favor of another one (40001, 40P01): a retry can succeed. */
export function isOvertaken(error: unknown): boolean {
  return /^40(001|P01)$/.test(String((error as { code?: string } | undefined)?.code));
}

/** True when PostgreSQL rejected a value itself: a NUL character, an invalid encoding, or a number or date out of range. */
export function isInputRejectedByDatabase(error: unknown): boolean {
  return /^(22021|22P05|22003|22007|22008|22009|22P02)$/.test(String((error as { code?: string } | undefined)?.code));
}

/** True when a unique constraint rejected a row; with `constraint`, only when it was that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const fault = error as { code?: string; constraint?: string } | undefined;
  return fault?.code === '23505' && (constraint === undefined || fault.constraint === constraint);
}
