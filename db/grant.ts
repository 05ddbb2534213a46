import { parseDatabaseAddress } from '@case-platform/lib/database/database-address';
import { clientConfig, LimitedClient, SESSION_SETTINGS } from '@case-platform/lib/database/database-client';
import pg from 'pg';

/** What the applications may only add to: their database role can neither change nor remove it. */
const APPEND_ONLY = ['audit_entry', 'ledger_transaction', 'ledger_posting'];
/** What they may only read: written by triggers, or by migrations. */
const READ_ONLY = ['schema_migration', 'database_copy', 'ledger_balance', 'graphile_worker.migrations'];

/**
 * Lets the applications' database role work in the migrated database: read and write, but own nothing, so that it can
 * neither change the schema nor what is append-only. Makes the role when it is missing. Repeatable; run after each migration.
 * @param owner a pool of whoever owns the schema.
 * @param applicationUrl the address that the applications connect under; its user is the role.
 */
export async function grantToApplication(owner: pg.Pool, applicationUrl: string): Promise<void> {
  const { user = '', password = '' } = parseDatabaseAddress(applicationUrl);
  const role = pg.escapeIdentifier(user);
  if (!(await canSignIn(applicationUrl))) await giveRole(owner, role, password);
  const { rows } = await owner.query<{ relname: string }>(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any($1)`,
    [APPEND_ONLY],
  );
  const queue = await owner.query<{ relname: string }>(
    `select c.relname from pg_class c where c.relnamespace = 'graphile_worker'::regnamespace and c.relrowsecurity`,
  );
  await owner.query(
    [
      'begin',
      // Two that start at once would otherwise change the same rows of the catalogue.
      'select pg_advisory_xact_lock(7214010003)',
      `grant usage on schema public, graphile_worker to ${role}`,
      `grant select, insert, update, delete on all tables in schema public, graphile_worker to ${role}`,
      `grant usage, select on all sequences in schema public, graphile_worker to ${role}`,
      `revoke insert, update, delete on ${READ_ONLY.join(', ')} from ${role}`,
      ...rows.map(({ relname }) => `revoke update, delete on ${relname} from ${role}`),
      // The queue's tables have row security without a policy: closed to everyone but their owner.
      ...queue.rows.flatMap(({ relname }) => [
        `drop policy if exists application on graphile_worker.${relname}`,
        `create policy application on graphile_worker.${relname} to ${role} using (true) with check (true)`,
      ]),
      'commit',
    ].join(';\n'),
  );
}

/**
 * Keeps with the role, in this database, what connections otherwise ask for themselves at their start: behind a pooler they
 * cannot. A role may change its own defaults; whoever manages it may have to be asked elsewhere.
 * @param applicationUrl past any pooler.
 */
export async function setRoleDefaults(owner: pg.Pool, applicationUrl: string): Promise<void> {
  const { user = '' } = parseDatabaseAddress(applicationUrl);
  const { rows } = await owner.query<{ name: string }>('select current_database() as name');
  const role = `alter role ${pg.escapeIdentifier(user)} in database ${pg.escapeIdentifier(rows[0]?.name ?? '')}`;
  const statements = Object.entries(SESSION_SETTINGS).map(([name, value]) => `${role} set ${name} = '${value}'`);
  const client = new LimitedClient(clientConfig({ url: applicationUrl, name: 'role defaults' }));
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    client.end(() => {});
  }
}

async function canSignIn(url: string): Promise<boolean> {
  const client = new LimitedClient(clientConfig({ url, name: 'role' }));
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    client.end(() => {});
  }
}

async function giveRole(owner: pg.Pool, role: string, password: string): Promise<void> {
  const secret = `login password ${pg.escapeLiteral(password)}`;
  try {
    await owner.query(`create role ${role} ${secret}`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42710') throw error;
    await owner.query(`alter role ${role} ${secret}`);
  }
}
