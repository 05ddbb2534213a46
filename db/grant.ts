import { parseDatabaseAddress } from '@case-platform/lib/database/database-address';
import { clientConfig, LimitedClient, SESSION_SETTINGS } from '@case-platform/lib/database/database-client';
import pg from 'pg';
import { accessOf, MONTH_FUNCTIONS, PROCESSES, type ProcessRole } from './access.ts';

/** The applications may only add to these tables: their database role can neither change nor remove rows (AUDIT-2, LEDGER-2). */
const APPEND_ONLY = ['audit_entry', 'ledger_transaction', 'ledger_posting'];
/** The applications may only read these tables, which are written by triggers or migrations. */
const READ_ONLY = ['schema_migration', 'database_copy', 'ledger_balance', 'graphile_worker.migrations'];

/** The addresses that the platform connects to; their users are the roles. */
export interface RoleAddresses extends Partial<Record<ProcessRole, string | undefined>> {
  /** For everything without a role of its own: the programs of an operator, and processes that are not named. */
  everything?: string | undefined;
}

/**
 * Gives the platform's database roles their rights in the migrated database, and creates those that are missing. They own
 * nothing, so they can change neither the schema nor append-only rows. The role of a process may do what the process does
 * (`access.ts`), and nothing else (DATABASE-5). Can be repeated; run it after each migration.
 * @param owner a pool of the schema's owner.
 */
export async function grantToRoles(owner: pg.Pool, { everything, ...processes }: RoleAddresses): Promise<void> {
  const { rows } = await owner.query<{ name: string }>('select current_user as name');
  const unlimited = [rows[0]?.name, everything && userOf(everything)];
  const processRoles = PROCESSES.flatMap((process) => {
    const address = processes[process];
    return address === undefined || unlimited.includes(userOf(address)) ? [] : [{ process, address }];
  });
  const addresses = [...(everything === undefined ? [] : [everything]), ...processRoles.map(({ address }) => address)];
  for (const address of addresses) if (!(await canSignIn(address))) await createOrUpdateRole(owner, address);
  const tables = await readTables(owner);
  const client = await owner.connect();
  try {
    // Two processes that start at once would otherwise change the same rows of the catalog.
    await client.query('begin; select pg_advisory_xact_lock(7214010003)');
    const statements = [
      ...(everything === undefined ? [] : grantsOfEverything(roleOf(everything))),
      // All of these come before the first grant, because two processes may share a role.
      ...processRoles.flatMap(({ address }) => [
        `revoke all on all tables in schema public, graphile_worker from ${roleOf(address)}`,
        `revoke all on all sequences in schema public, graphile_worker from ${roleOf(address)}`,
        `revoke all on function ${MONTH_FUNCTIONS.join(', ')} from ${roleOf(address)}`,
      ]),
      ...processRoles.flatMap(({ process, address }) => grantsOfProcess(process, roleOf(address), tables)),
    ];
    await client.query(statements.join(';\n'));
    await openQueue(client, addresses.map(userOf));
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function userOf(address: string): string {
  return parseDatabaseAddress(address).user ?? '';
}

/** Quoted for use in a statement. */
function roleOf(address: string): string {
  return pg.escapeIdentifier(userOf(address));
}

function grantsOfEverything(role: string): string[] {
  return [
    `grant usage on schema public, graphile_worker to ${role}`,
    `grant select, insert, update, delete on all tables in schema public, graphile_worker to ${role}`,
    `grant usage, select on all sequences in schema public, graphile_worker to ${role}`,
    `revoke insert, update, delete on ${READ_ONLY.join(', ')} from ${role}`,
    `revoke update, delete on ${APPEND_ONLY.join(', ')} from ${role}`,
    `grant execute on function ${MONTH_FUNCTIONS.join(', ')} to ${role}`,
  ];
}

const PRIVILEGES = { r: 'select', a: 'insert', c: 'update', d: 'delete', l: 'update' } as const;

interface Table {
  columns: readonly string[];
  /** The sequence of its identity column, if it has one. */
  sequence: string | null;
}

function grantsOfProcess(process: ProcessRole, role: string, tables: Map<string, Table>): string[] {
  const grants = accessOf(process).flatMap(({ table, verbs, unread, changed }) => {
    const { columns = [], sequence = null } = tables.get(table) ?? {};
    const readable = columns.filter((column) => !unread.includes(column));
    // Some rows need their number before they are added.
    const numbers = verbs.includes('a') && sequence !== null ? [`grant usage on sequence ${sequence} to ${role}`] : [];
    const ofTable = verbs.map((verb) => {
      let of: readonly string[] = [];
      if (verb === 'r' && unread.length > 0) of = readable;
      if (verb === 'c' && changed !== undefined) of = changed;
      if (verb === 'l') of = changed ?? ['id'];
      const list = of.map((column) => pg.escapeIdentifier(column)).join(', ');
      return `grant ${PRIVILEGES[verb]}${list && ` (${list})`} on ${table} to ${role}`;
    });
    return [...ofTable, ...numbers];
  });
  const functions = process === 'worker' ? [`grant execute on function ${MONTH_FUNCTIONS.join(', ')} to ${role}`] : [];
  return [`grant usage on schema public, graphile_worker to ${role}`, ...grants, ...functions];
}

async function readTables(owner: pg.Pool): Promise<Map<string, Table>> {
  const { rows } = await owner.query<Table & { name: string }>(
    `select table_schema || '.' || table_name as name, array_agg(column_name::text) as columns,
            max(pg_get_serial_sequence(quote_ident(table_schema) || '.' || quote_ident(table_name), column_name)) as sequence
       from information_schema.columns
      where table_schema in ('public', 'graphile_worker') group by table_schema, table_name`,
  );
  return new Map(rows.map(({ name, ...table }) => [name, table]));
}

/**
 * The queue's tables have row security without a policy, so they are closed to everyone but their owner. A policy is created only
 * once, because creating one waits for everyone who uses the table.
 */
async function openQueue(owner: pg.PoolClient, roles: readonly string[]): Promise<void> {
  const { rows } = await owner.query<{ table: string; role: string }>(
    `select c.oid::regclass::text as table, role
       from pg_class c cross join unnest($1::text[]) role
      where c.relnamespace = 'graphile_worker'::regnamespace and c.relrowsecurity
        and not exists (select from pg_policy p join pg_roles r on r.oid = any(p.polroles)
                         where p.polrelid = c.oid and r.rolname = role)`,
    [roles],
  );
  for (const { table, role } of rows) {
    const name = pg.escapeIdentifier(role);
    await owner.query(`create policy ${name} on ${table} to ${name} using (true) with check (true)`);
  }
}

/**
 * Stores with the role, in this database, the settings that connections otherwise set at their start, which they cannot do behind
 * a pooler. A role may change its own defaults, so this needs no other role.
 * @param applicationUrl bypasses any pooler.
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

async function createOrUpdateRole(owner: pg.Pool, address: string): Promise<void> {
  const role = roleOf(address);
  const { password = '' } = parseDatabaseAddress(address);
  const secret = `login password ${pg.escapeLiteral(password)}`;
  try {
    await owner.query(`create role ${role} ${secret}`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42710') throw error;
    await owner.query(`alter role ${role} ${secret}`);
  }
}
