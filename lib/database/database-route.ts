import { isDatabaseUnavailable } from '../database.ts';
import { clientConfig, LimitedClient } from './database-client.ts';

interface Route {
  databaseUrl: string;
  databaseDirectUrl: string;
  isPooled: boolean;
}

interface Inspected {
  isPooled: boolean;
  /** True if its sessions have the platform's settings. */
  hasSettings: boolean;
  canPrepare: boolean;
}

const POOLED_WITHOUT_WAY_PAST =
  'DATABASE_URL leads through a connection pooler: set DATABASE_DIRECT_URL to the address of the database itself, which LISTEN and locks need.';
const DIRECT_IS_POOLED = 'DATABASE_DIRECT_URL leads through a connection pooler: it must lead to the database itself.';
const OWNER_IS_POOLED = 'MIGRATION_DATABASE_URL leads through a connection pooler: it must lead to the database itself.';
const SETTINGS_MISSING =
  "DATABASE_URL leads through a connection pooler, and its role lacks the platform's settings: run scripts/start/prepare.ts, and have the pooler reconnect.";

/**
 * Requires that `databaseDirectUrl` leads to the database itself, and that a pooler behind `databaseUrl` uses the platform's
 * session settings (DATABASE-2). Through a pooler, LISTEN and locks would fail now and then, without an error. Nothing is required of a database that is unavailable.
 * @throws {Error} with one sentence that names the setting.
 */
export async function requireDirectRoute({ databaseUrl, databaseDirectUrl, isPooled }: Route): Promise<void> {
  await requireNoPooler(databaseDirectUrl, isPooled ? DIRECT_IS_POOLED : POOLED_WITHOUT_WAY_PAST);
  if (!isPooled) return;
  const pooled = await inspectRoute(databaseUrl, false);
  if (pooled?.hasSettings === false) throw new Error(SETTINGS_MISSING);
}

/**
 * Requires that the addresses with which the database is prepared lead to the database itself. The role and its settings may
 * still be missing, because preparing creates them.
 * @throws {Error} with one sentence that names the setting.
 */
export async function requireDirectOwner(config: Omit<Route, 'databaseUrl'> & { migrationDatabaseUrl: string | undefined }) {
  const { migrationDatabaseUrl, databaseDirectUrl, isPooled } = config;
  if (migrationDatabaseUrl !== undefined) await requireNoPooler(migrationDatabaseUrl, OWNER_IS_POOLED);
  try {
    await requireNoPooler(databaseDirectUrl, isPooled ? DIRECT_IS_POOLED : POOLED_WITHOUT_WAY_PAST);
  } catch (error) {
    // The owner is about to create the missing role, or to set its password.
    if (migrationDatabaseUrl === undefined || !isRoleRejected(error)) throw error;
  }
}

async function requireNoPooler(url: string, sentence: string): Promise<void> {
  if ((await inspectRoute(url, true))?.isPooled === true) throw new Error(sentence);
}

/** True if the pooler at this address tracks prepared statements (SCALE-3). */
export async function canPrepareThrough(url: string): Promise<boolean> {
  return (await inspectRoute(url, false))?.canPrepare === true;
}

/** Poolers reject start-up options, or report another process id than the server's own. */
async function inspectRoute(url: string, hasSession: boolean): Promise<Inspected | null> {
  const client = new LimitedClient(clientConfig({ url, name: 'route', hasSession }));
  try {
    await client.connect();
    const { rows } = await client.query(
      `select pg_backend_pid() as pid, current_setting('TimeZone') = 'UTC'
          and current_setting('statement_timeout') not in ('0', '0ms') as set`,
    );
    const { processID } = client as unknown as { processID: number };
    return { isPooled: rows[0]?.pid !== processID, hasSettings: rows[0]?.set === true, canPrepare: client.canPrepare };
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message))
      return { isPooled: true, hasSettings: false, canPrepare: false };
    if (isRoleRejected(error) || !isDatabaseUnavailable(error)) throw error;
    return null;
  } finally {
    client.end(() => {});
  }
}

/** The role or its password is wrong, which waiting does not fix. */
function isRoleRejected(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('28') === true;
}
