import { OLDEST_POSTGRES } from '@case-platform/db/migrate';
import { migrationFiles } from '@case-platform/db/migration-files';
import type { Config } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import { canPrepareThrough, requireDirectRoute } from '@case-platform/lib/database/database-route';
import { databaseIsReady, queueIsReady } from '@case-platform/lib/database/readiness-checks';
import type pg from 'pg';
import { checkConnections } from './connection-checks.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import { checkReplica } from './replica-check.ts';
import { checkRoles } from './role-checks.ts';

const PREPARE = 'Run `node scripts/start/prepare.ts`.';
const TRACK = 'Use PgBouncer 1.21 or newer with max_prepared_statements = 500, then run RECONNECT in it.';
/** Codes of authenticator apps are valid for 30 seconds. */
const CLOCK_FAILS_AT_MS = 15_000;
const CLOCK_WARNS_AT_MS = 1000;

/** Checks everything about the database. If it cannot be reached, that is the only finding. */
export async function checkDatabase(config: Config, processes: number): Promise<Finding[]> {
  if (config.databaseUrl === '')
    return [fail('database', 'DATABASE_URL is not set.', 'Set it to the address of a PostgreSQL database.')];
  const pool = createPool({ url: config.databaseDirectUrl, name: 'doctor', max: 2, onError: () => {} });
  try {
    const reached = await checkReached(pool);
    if (reached.state === 'fail') return [reached];
    const checks = [checkRoute(config), checkMigrations(pool), checkQueue(pool), checkLedger(pool), checkMonths(pool)];
    const others = [checkReplica(config, pool), checkExtensions(pool), checkClock(pool), checkAdministrators(pool)];
    const findings = await Promise.all([...checks, ...others]);
    return [reached, ...findings, ...(await checkConnections(config, pool, processes)), ...(await checkRoles(config, pool))];
  } finally {
    await pool.end();
  }
}

async function checkReached(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows } = await pool.query(`select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major`);
    const { version, major } = rows[0];
    if (major < OLDEST_POSTGRES)
      return fail('database', `PostgreSQL ${version} answers.`, `${OLDEST_POSTGRES} or newer is needed.`);
    await databaseIsReady(pool)();
    return ok('database', `PostgreSQL ${version} answers and can be written.`);
  } catch (error) {
    return fail('database', `It cannot be used: ${reasonOf(error)}.`, 'Check DATABASE_URL, the server, and the network.');
  }
}

async function checkRoute(config: Config): Promise<Finding> {
  try {
    await requireDirectRoute(config);
    if (!config.isPooled) return ok('pooler', 'No pooler is used.');
    if (await canPrepareThrough(config.databaseUrl))
      return ok('pooler', 'The database can be reached without the pooler, which tracks prepared statements.');
    return warn('pooler', 'The pooler does not track prepared statements, so none are used.', TRACK);
  } catch (error) {
    return fail('pooler', reasonOf(error), 'See "The database’s address" in docs/operations.md.');
  }
}

async function checkMigrations(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows } = await pool.query<{ name: string; checksum: string }>('select name, checksum from schema_migration');
    const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
    const own = migrationFiles();
    const missing = own.filter(({ name }) => !applied.has(name));
    const edited = own.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
    const newer = rows.filter(({ name }) => !own.some((one) => one.name === name));
    if (edited.length > 0)
      return fail('migrations', `${edited[0]?.name} differs from what was applied.`, 'Run the files as they were released.');
    if (missing.length > 0) return fail('migrations', `Missing: ${missing.map(({ name }) => name).join(', ')}.`, PREPARE);
    if (newer.length > 0)
      return warn('migrations', `A newer version has run here: ${newer[0]?.name}.`, 'Run that version everywhere.');
    return ok('migrations', `All ${own.length} were applied.`);
  } catch (error) {
    return fail('migrations', `They cannot be read: ${reasonOf(error)}.`, PREPARE);
  }
}

async function checkQueue(pool: pg.Pool): Promise<Finding> {
  return queueIsReady(pool)().then(
    () => ok('queue', 'Jobs can be added.'),
    (error) => fail('queue', reasonOf(error), PREPARE),
  );
}

/** Checks the triggers that protect the audit log and the ledger from changes (LEDGER-2). */
async function checkLedger(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<{ name: string }>(`select t.name
      from unnest(array['audit_entry', 'ledger_transaction', 'ledger_posting']) t (name)
     where (select count(*) from pg_trigger g where g.tgrelid = to_regclass(t.name) and g.tgenabled in ('O', 'A')
               and g.tgfoid = to_regproc('refuse_change')) < 2`);
  if (rows.length === 0) return ok('append-only', 'The audit log and the ledger are append-only.');
  const names = rows.map(({ name }) => name).join(', ');
  return fail(
    'append-only',
    `Entries of ${names} could be changed.`,
    'Triggers were removed. Find out who did it, then restore them.',
  );
}

/** Checks that the partitions of the coming months exist, and that every row has one (RETAIN-2). */
async function checkMonths(pool: pg.Pool): Promise<Finding> {
  const late = await pool
    .query<{ of_table: string; rows_without: number; is_late: boolean }>(
      `select of_table, rows_without, coalesce(ends < date_trunc('month', now(), 'UTC') + interval '3 months', true) as is_late
         from months_ahead() order by of_table`,
    )
    .catch((error) => fail('months', `They cannot be read: ${reasonOf(error)}.`, PREPARE));
  if ('check' in late) return late;
  const advice =
    'The worker does this every night (task remove_old_rows): see "Failed jobs" in the staff application, and its log.';
  const missing = late.rows.filter(({ is_late }) => is_late).map(({ of_table }) => of_table);
  if (missing.length > 0) return warn('months', `Partitions of the next two months are missing: ${missing.join(', ')}.`, advice);
  const strays = late.rows.filter(({ rows_without }) => rows_without > 0);
  if (strays.length === 0) return ok('months', 'Partitions exist for at least two months ahead, and every row is in one.');
  const counts = strays.map(
    ({ of_table, rows_without }) => `${of_table} (${rows_without === 1000 ? '1,000 or more' : rows_without})`,
  );
  return warn('months', `Rows are in the default partition: ${counts.join(', ')}.`, advice);
}

async function checkExtensions(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query(`select from pg_extension where extname = 'pg_stat_statements'`);
  if (rows.length > 0) return ok('extensions', 'pg_stat_statements is installed. No other extension is used.');
  return warn(
    'extensions',
    'pg_stat_statements is not installed. The platform runs without it.',
    'Install it to find slow statements by the name of the function that runs them.',
  );
}

/**
 * Uses one open connection, so that connecting does not count. The fastest of three round trips is the most exact (RFC 5905, 10).
 */
async function checkClock(pool: pg.Pool): Promise<Finding> {
  const client = await pool.connect();
  try {
    let nearest = { tookMs: Number.POSITIVE_INFINITY, aheadMs: 0 };
    for (let way = 0; way < 3; way += 1) {
      const before = Date.now();
      const { rows } = await client.query(`select extract(epoch from clock_timestamp()) * 1000 as now`);
      const after = Date.now();
      const sample = { tookMs: after - before, aheadMs: Number(rows[0].now) - (before + after) / 2 };
      if (sample.tookMs < nearest.tookMs) nearest = sample;
    }
    return compareClocks(Math.round(nearest.aheadMs));
  } finally {
    client.release();
  }
}

/** @param aheadMs milliseconds that the database's clock is ahead of this machine's. */
export function compareClocks(aheadMs: number): Finding {
  const apart = `${Math.abs(aheadMs) / 1000} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine’s`;
  const advice = 'Synchronize both machines by NTP.';
  if (Math.abs(aheadMs) >= CLOCK_FAILS_AT_MS) return fail('clock', `The database’s clock is ${apart}.`, advice);
  if (Math.abs(aheadMs) >= CLOCK_WARNS_AT_MS) return warn('clock', `The database’s clock is ${apart}.`, advice);
  return ok('clock', 'This machine and the database agree.');
}

async function checkAdministrators(pool: pg.Pool): Promise<Finding> {
  try {
    const { rows } = await pool.query(`select count(*)::int as people from user_account u
      where u.user_type = 'admin' and u.status = 'active' and exists (select from admin_role_permission g
            where g.admin_role_id = u.admin_role_id and g.permission = 'manage_roles')`);
    const { people } = rows[0];
    if (people === 0)
      return warn('administrators', 'No active administrator exists.', 'Run `npm run create-admin` and follow its link.');
    if (people === 1) return warn('administrators', 'There is one.', 'Payments need two people. Invite another one.');
    return ok('administrators', `There are ${people}.`);
  } catch (error) {
    return fail('administrators', `They cannot be read: ${reasonOf(error)}.`, PREPARE);
  }
}
