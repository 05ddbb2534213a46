import type pg from 'pg';
import { UnavailableError } from '../errors.ts';
import { ANSWER_WITHIN_MS, NotPreparedError, type Patience, type ReadinessCheck } from '../process/readiness.ts';
import { query, sql } from '../sql.ts';
import { IS_WRITABLE, READ_ONLY } from './database-client.ts';

const UNDEFINED_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';
const PREPARE = 'run scripts/start/prepare.ts of this version';

/**
 * The database answers, can be written, and commits: a commit that waits for a lost standby does not return. The write is a
 * message in the write-ahead log, which no table stores.
 */
export function databaseIsReady(pool: pg.Pool, { withinMs = ANSWER_WITHIN_MS }: Patience = {}): ReadinessCheck {
  const ask = (text: string) => pool.query({ text, query_timeout: withinMs } as pg.QueryConfig);
  return async () => {
    const { rows } = await ask(IS_WRITABLE);
    if (rows[0]?.writable !== true) throw Object.assign(new Error('the database can only be read'), { code: READ_ONLY });
    await ask(`select pg_logical_emit_message(true, 'ready', '')`);
  };
}

/** The queue's schema exists, including the functions that add jobs. */
export function queueIsReady(pool: pg.Pool): ReadinessCheck {
  return async () => {
    const { rows } = await pool.query(
      `select to_regclass('graphile_worker._private_jobs') is not null
          and to_regproc('graphile_worker.add_job') is not null as present`,
    );
    if (rows[0]?.present !== true) throw new Error("the queue's schema is missing");
  };
}

/**
 * The database has every migration of this version (HEALTH-2). It may have more: while processes are replaced, the previous
 * version works on the schema of the next one, and must stay ready.
 * @param names the file names of this version's migrations.
 * @returns a check that rejects with a NotPreparedError that names what is missing.
 */
export function migrationsAreApplied(pool: pg.Pool, names: readonly string[]): ReadinessCheck {
  return async () => {
    const missing = await listMissing(pool, names);
    if (missing.length > 0) throw new NotPreparedError(`the database lacks migrations: ${missing.join(', ')}; ${PREPARE}`);
  };
}

async function listMissing(pool: pg.Pool, names: readonly string[]): Promise<string[]> {
  try {
    const rows = await query<{ name: string }>(
      pool,
      sql`select name from unnest(${names}::text[]) required (name)
           where not exists (select from schema_migration applied where applied.name = required.name) order by name`,
    );
    return rows.map(({ name }) => name);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === UNDEFINED_TABLE) return [...names];
    // Preparing the database also grants the right to read the list.
    if (code === INSUFFICIENT_PRIVILEGE)
      throw new NotPreparedError(`the database role may not read the list of migrations; ${PREPARE}`);
    throw error;
  }
}

/**
 * A gate for calls: rejects with an UnavailableError until the check has passed once. Migrations only go forward, so the check
 * never runs again after that. Without the gate, a new version would answer 500 until its migrations have run, as long as a load
 * balancer sends it calls.
 */
export function untilPassed(check: ReadinessCheck): () => Promise<void> {
  let isPassed = false;
  return async () => {
    if (isPassed) return;
    try {
      await check();
      isPassed = true;
    } catch (error) {
      throw error instanceof NotPreparedError ? Object.assign(new UnavailableError(), { cause: error }) : error;
    }
  };
}
