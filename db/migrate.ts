import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations as migrateQueue } from 'graphile-worker';
import type pg from 'pg';
import { type Migration, migrationFiles } from './migration-files.ts';

/** Any fixed number: everyone who migrates this database waits for the same lock. */
const MIGRATION_LOCK = 7_214_010_001;
export const OLDEST_POSTGRES = 15;

/** How a file begins whose statements take no transaction, such as `create index concurrently`. */
const NO_TRANSACTION = '-- no transaction';
const NOTE = 'insert into schema_migration (name, checksum) values ($1, $2)';
const TURN_EVERY_MS = 200;
const LOCK_WITHIN_MS = 3000;
/** Some five minutes, where somebody else holds a lock all the time. */
const ATTEMPTS = 40;

/** Databases of the time before `0001_baseline.sql` have other migrations, which no release contained. */
const UNRELEASED =
  'This database was created by an unreleased version, and can’t be upgraded. Start with an empty one: a new DATA_DIR, or a new database in DATABASE_URL.';

interface MigrateOptions {
  /** Others than those of this version: for tests. */
  files?: readonly Migration[];
  /** How long everybody may have to wait behind a migration that waits for a lock. */
  lockWithinMs?: number;
}

/**
 * Brings the database to the newest schema: forward only, each file in a transaction of its own unless it says
 * otherwise in its first line, under an advisory lock,
 * so that any number of processes may start at once.
 * @param only these files, where a dump wants the schema that it was made of.
 * @returns the names of the files that were applied now.
 * @throws when an applied file has changed since, the database was created before the first file existed, or the server is older than
 *   PostgreSQL 15.
 */
export async function migrate(
  pool: pg.Pool,
  only?: ReadonlySet<string>,
  { files = migrationFiles(), lockWithinMs = LOCK_WITHIN_MS }: MigrateOptions = {},
): Promise<string[]> {
  const client = await pool.connect();
  try {
    await refuseOldServer(client);
    await client.query('set statement_timeout = 0');
    await acquireMigrationLock(client);
    await client.query(`set lock_timeout = ${lockWithinMs}`);
    await client.query(
      `create table if not exists schema_migration (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await applyMissing(
      client,
      files.filter(({ name }) => only?.has(name) !== false),
    );
    await migrateQueue({ pgPool: pool });
    return applied;
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {});
    // Destroyed rather than given back: the statement time-out above is for this connection alone.
    client.release(true);
  }
}

/** Asked again and again, not waited for: an index that is built concurrently waits for every statement that waits. */
async function acquireMigrationLock(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
    if (rows[0]?.taken) return;
    await sleep(TURN_EVERY_MS);
  }
}

async function refuseOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
  const major = Math.floor(Number(rows[0]?.version) / 10_000);
  if (major < OLDEST_POSTGRES) throw new Error(`DATABASE_URL leads to PostgreSQL ${major}; 15 or newer is needed.`);
}

async function applyMissing(client: pg.PoolClient, files: readonly Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration',
  );
  const known = new Map(rows.map((row) => [row.name, row.checksum]));
  const [first] = files;
  if (known.size > 0 && first !== undefined && !known.has(first.name)) throw new Error(UNRELEASED);
  const applied: string[] = [];
  for (const file of files) {
    const { name, checksum } = file;
    if (known.has(name)) {
      if (known.get(name) !== checksum) throw new Error(`The migration ${name} was changed after it had been applied.`);
      continue;
    }
    try {
      await applyPatiently(client, file);
    } catch (error) {
      throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error });
    }
    applied.push(name);
  }
  return applied;
}

/**
 * Whoever waits for a table's lock has everybody who comes later wait behind it: a migration gives way after three seconds, lets
 * them through, and tries again.
 */
async function applyPatiently(client: pg.PoolClient, file: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (file.sql.startsWith(NO_TRANSACTION) ? applyStatements(client, file) : applyAtOnce(client, file));
    } catch (error) {
      const isLocked = (error as { code?: string }).code === '55P03';
      if (!isLocked || attempt === ATTEMPTS) throw error;
      await sleep(Math.min(attempt * 250, 5000));
    }
  }
}

async function applyAtOnce(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(NOTE, [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** One statement after the other, each ending a line with a semicolon; they must bear being run again. */
async function applyStatements(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  for (const statement of sql.split(/;\s*$/m)) {
    if (statement.replaceAll(/--.*$/gm, '').trim() !== '') await client.query(statement);
  }
  await client.query(NOTE, [name, checksum]);
}
