import pg from 'pg';

/** What the applications may only add to: their database role can neither change nor remove it. */
const APPEND_ONLY = ['audit_entry', 'ledger_transaction', 'ledger_posting'];
/** What they may only read: written by triggers, or by migrations. */
const READ_ONLY = ['schema_migration', 'ledger_balance', 'graphile_worker.migrations'];

/**
 * Lets the applications' database role work in the migrated database: read and write, but own nothing, so that it can
 * neither change the schema nor what is append-only. Makes the role when it is missing. Repeatable; run after each migration.
 * @param owner a pool of whoever owns the schema.
 * @param applicationUrl the address that the applications connect under; its user is the role.
 */
export async function grantToApplication(owner: pg.Pool, applicationUrl: string): Promise<void> {
  const { username, password } = new URL(applicationUrl);
  const role = pg.escapeIdentifier(decodeURIComponent(username));
  if (!(await canSignIn(applicationUrl))) await giveRole(owner, role, decodeURIComponent(password));
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

async function canSignIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
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
