import { isDatabaseUnavailable } from '../database.ts';
import { clientConfig, LimitedClient } from './database-client.ts';

interface Route {
  databaseUrl: string;
  databaseDirectUrl: string;
  isPooled: boolean;
}

const POOLED_WITHOUT_WAY_PAST =
  'DATABASE_URL leads through a connection pooler: set DATABASE_DIRECT_URL to the address of the database itself, which LISTEN and locks need.';
const DIRECT_IS_POOLED = 'DATABASE_DIRECT_URL leads through a connection pooler: it must lead to the database itself.';
const OWNER_IS_POOLED =
  'MIGRATION_DATABASE_URL leads through a connection pooler: it must lead to the database itself.';
const SETTINGS_MISSING =
  "DATABASE_URL leads through a connection pooler, and its role lacks the platform's settings: run scripts/start/prepare.ts, and have the pooler connect anew.";

/**
 * Looks at where the addresses lead (DATABASE-2): a session that is not one's own would lose LISTEN, locks and
 * prepared statements, some of the time and without a word. A database that is away now is not looked at.
 * @throws {Error} in one sentence that names the setting.
 */
export async function refuseWrongRoute({ databaseUrl, databaseDirectUrl, isPooled }: Route): Promise<void> {
  await refusePooler(databaseDirectUrl, isPooled ? DIRECT_IS_POOLED : POOLED_WITHOUT_WAY_PAST);
  if (!isPooled) return;
  const pooled = await lookAt(databaseUrl, false);
  if (pooled?.hasSettings === false) throw new Error(SETTINGS_MISSING);
}

/**
 * The part of this that preparing the database needs, which makes the role and its settings.
 * @throws {Error} in one sentence that names the setting.
 */
export async function refusePooledOwner(
  config: Omit<Route, 'databaseUrl'> & { migrationDatabaseUrl: string | undefined },
) {
  const { migrationDatabaseUrl, databaseDirectUrl, isPooled } = config;
  if (migrationDatabaseUrl !== undefined) await refusePooler(migrationDatabaseUrl, OWNER_IS_POOLED);
  try {
    await refusePooler(databaseDirectUrl, isPooled ? DIRECT_IS_POOLED : POOLED_WITHOUT_WAY_PAST);
  } catch (error) {
    // The owner makes the role that is not there yet, and gives it its password.
    if (migrationDatabaseUrl === undefined || !isRefused(error)) throw error;
  }
}

async function refusePooler(url: string, sentence: string): Promise<void> {
  if ((await lookAt(url, true))?.isPooled === true) throw new Error(sentence);
}

/** Poolers refuse start-up options, or tell their clients another number than the server's process has. */
async function lookAt(url: string, hasSession: boolean): Promise<{ isPooled: boolean; hasSettings: boolean } | null> {
  const client = new LimitedClient(clientConfig({ url, name: 'route', hasSession }));
  try {
    await client.connect();
    const { rows } = await client.query(
      `select pg_backend_pid() as pid, current_setting('TimeZone') = 'UTC'
          and current_setting('statement_timeout') not in ('0', '0ms') as set`,
    );
    const { processID } = client as unknown as { processID: number };
    return { isPooled: rows[0]?.pid !== processID, hasSettings: rows[0]?.set === true };
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message)) return { isPooled: true, hasSettings: false };
    if (isRefused(error) || !isDatabaseUnavailable(error)) throw error;
    return null;
  } finally {
    client.end(() => {});
  }
}

/** The role or its password is wrong: at the start no wait makes that right. */
function isRefused(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('28') === true;
}
