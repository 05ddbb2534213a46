import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { runMigrations as migrateQueue } from 'graphile-worker';
import type pg from 'pg';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any fixed number: everyone who migrates this database waits for the same lock. */
const MIGRATION_LOCK = 7_214_010_001;
export const OLDEST_POSTGRES = 15;

/**
 * Brings the database to the newest schema: forward only, each file in a transaction of its own, under an advisory lock,
 * so that any number of processes may start at once.
 * @param only these files, where a dump wants the schema that it was made of.
 * @returns the names of the files that were applied now.
 * @throws when a file that was applied before has been changed since, or the server is older than PostgreSQL 15.
 */
export async function migrate(pool: pg.Pool, only?: ReadonlySet<string>): Promise<string[]> {
  const client = await pool.connect();
  try {
    await refuseOldServer(client);
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(
      `create table if not exists schema_migration (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await applyMissing(client, only);
    await migrateQueue({ pgPool: pool });
    return applied;
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {});
    // Destroyed rather than given back: the statement time-out above is for this connection alone.
    client.release(true);
  }
}

async function refuseOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
  const major = Math.floor(Number(rows[0]?.version) / 10_000);
  if (major < OLDEST_POSTGRES) throw new Error(`DATABASE_URL leads to PostgreSQL ${major}; 15 or newer is needed.`);
}

async function applyMissing(client: pg.PoolClient, only?: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration',
  );
  const known = new Map(rows.map((row) => [row.name, row.checksum]));
  const applied: string[] = [];
  for (const { name, sql, checksum } of migrationFiles()) {
    if (only?.has(name) === false) continue;
    if (known.has(name)) {
      if (known.get(name) !== checksum) throw new Error(`The migration ${name} was changed after it had been applied.`);
      continue;
    }
    await client.query('begin');
    try {
      await client.query(sql);
      await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, checksum]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error });
    }
    applied.push(name);
  }
  return applied;
}

/** The files that there are, in their order. */
export function migrationFiles(): { name: string; sql: string; checksum: string }[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, FOLDER), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}
