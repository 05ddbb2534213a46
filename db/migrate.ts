import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations as migrateQueue } from 'graphile-worker';
import type pg from 'pg';
import { type Migration, migrationFiles } from './migration-files.ts';

/** Any fixed number: all processes that migrate this database wait for the same lock. */
const MIGRATION_LOCK = 7_214_010_001;
export const OLDEST_POSTGRES = 15;

/** The first line of a file whose statements run outside a transaction, such as `create index concurrently`. */
const NO_TRANSACTION = '-- no transaction';
const RECORD = 'insert into schema_migration (name, checksum) values ($1, $2)';
const TURN_EVERY_MS = 200;
const LOCK_WITHIN_MS = 3000;
/** About five minutes of waiting for a lock that is never free. */
const ATTEMPTS = 40;

/** For databases from before `0001_baseline.sql`, whose migrations no release contained. */
const UNRELEASED =
  'This database was created by an unreleased version, and can’t be upgraded. ' +
  'Start with an empty one: a new DATA_DIR, or a new database in DATABASE_URL.';

interface MigrateOptions {
  /** Other migrations than those of this version, for tests. */
  files?: readonly Migration[];
  /** How long other statements may have to wait behind a migration that waits for a lock. */
  lockWithinMs?: number;
}

/**
 * Brings the database to the newest schema. Each file runs in its own transaction unless its first line says otherwise. An
 * advisory lock lets any number of processes start at once.
 * @param only the names of the files to apply, for a backup that needs the schema it was made with.
 * @returns the names of the files that were applied now.
 * @throws when an applied file has changed since, the database was created before the first file existed, or the server is older
 *   than PostgreSQL 15.
 */
export async function migrate(
  pool: pg.Pool,
  only?: ReadonlySet<string>,
  { files = migrationFiles(), lockWithinMs = LOCK_WITHIN_MS }: MigrateOptions = {},
): Promise<string[]> {
  const client = await pool.connect();
  try {
    await requireServerVersion(client);
    await client.query('set statement_timeout = 0');
    await acquireMigrationLock(client);
    await client.query(`set lock_timeout = ${lockWithinMs}`);
    await client.query(
      `create table if not exists schema_migration (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const names = await applyMissing(
      client,
      files.filter(({ name }) => only?.has(name) !== false),
    );
    await migrateQueue({ pgPool: pool });
    return names;
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {});
    // Closed and not returned to the pool, because its timeouts differ from the pool's.
    client.release(true);
  }
}

/** Polls for the lock: `create index concurrently` of another process would wait for a statement that waits for it. */
async function acquireMigrationLock(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
    if (rows[0]?.taken) return;
    await sleep(TURN_EVERY_MS);
  }
}

async function requireServerVersion(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
  const major = Math.floor(Number(rows[0]?.version) / 10_000);
  if (major < OLDEST_POSTGRES) throw new Error(`DATABASE_URL leads to PostgreSQL ${major}; 15 or newer is needed.`);
}

async function applyMissing(client: pg.PoolClient, files: readonly Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migration');
  const checksums = new Map(rows.map((row) => [row.name, row.checksum]));
  const [first] = files;
  if (checksums.size > 0 && first !== undefined && !checksums.has(first.name)) throw new Error(UNRELEASED);
  const names: string[] = [];
  for (const file of files) {
    const { name, checksum } = file;
    if (checksums.has(name)) {
      if (checksums.get(name) !== checksum) throw new Error(`The migration ${name} was changed after it had been applied.`);
      continue;
    }
    try {
      await applyPatiently(client, file);
    } catch (error) {
      throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error });
    }
    names.push(name);
  }
  return names;
}

/**
 * Applies a file, and tries again when a lock is not free. Later statements queue behind one that waits for a table's lock, so a
 * migration gives up after three seconds and lets them through.
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
    await client.query(RECORD, [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Runs the statements one by one. Each ends a line with a semicolon, and has to be repeatable. */
async function applyStatements(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  for (const statement of sql.split(/;\s*$/m)) {
    if (statement.replaceAll(/--.*$/gm, '').trim() !== '') await client.query(statement);
  }
  await client.query(RECORD, [name, checksum]);
}
