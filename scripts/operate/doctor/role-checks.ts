import { accessOf, PROCESSES, type ProcessRole } from '@case-platform/db/access';
import type { Config } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import type pg from 'pg';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const ADVICE = 'See "Database roles" in docs/operations.md.';

/** Checks the rights of the database roles (DATABASE-5): of the shared one, and of each process that has its own. */
export async function checkRoles({ production, roleUrls }: Config, pool: pg.Pool): Promise<Finding[]> {
  const own = PROCESSES.flatMap((process) => {
    const url = roleUrls[process];
    return url === undefined ? [] : [{ process, url }];
  });
  const findings = [await checkOwning(pool), ...(await Promise.all(own.map(({ process, url }) => checkOwn(process, url))))];
  const sharing = PROCESSES.filter((process) => roleUrls[process] === undefined);
  if (production && sharing.length > 0)
    findings.push(warn('roles', `Using the shared role: ${sharing.join(', ')}.`, `Give each process its own. ${ADVICE}`));
  return findings;
}

/** The owner of a table can remove its triggers. */
async function checkOwning(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query(`select
    (select rolsuper from pg_roles where rolname = current_user) as is_super,
    exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
             and pg_has_role(relowner, 'usage')) as owns`);
  const advice = `Give DATABASE_URL a role that owns nothing, and MIGRATION_DATABASE_URL the owner’s role. ${ADVICE}`;
  if (rows[0].is_super) return warn('roles', 'The role of DATABASE_URL is a superuser.', advice);
  if (rows[0].owns) return warn('roles', 'The role of DATABASE_URL owns the tables.', advice);
  return ok('roles', 'The role of DATABASE_URL owns nothing.');
}

async function checkOwn(process: ProcessRole, url: string): Promise<Finding> {
  const pool = createPool({ url, name: 'doctor', max: 1, onError: () => {} });
  const setting = `${process.toUpperCase()}_DATABASE_URL`;
  const access = accessOf(process);
  const hidden = access.flatMap(({ table, unread }) => unread.map((column) => ({ table, column })));
  try {
    const { rows } = await pool.query<{ what: string }>(
      `select c.oid::regclass::text || ' ' || may.letter as what
         from pg_class c cross join (values ('r', 'select'), ('a', 'insert'), ('c', 'update'), ('d', 'delete')) may (letter, name)
        where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'p', 'v')
          and case when may.name = 'delete' then has_table_privilege(c.oid, may.name)
                   else has_any_column_privilege(c.oid, may.name) end
       union all
       select table_name || '.' || column_name || ' r' from unnest($1::text[], $2::text[]) hidden (table_name, column_name)
        where has_column_privilege(table_name, column_name, 'select')`,
      [hidden.map(({ table }) => table), hidden.map(({ column }) => column)],
    );
    const may = new Set(rows.map(({ what }) => what));
    const should = new Set(
      access.flatMap(({ table, verbs }) => verbs.map((verb) => `${table.replace('public.', '')} ${verb === 'l' ? 'c' : verb}`)),
    );
    const lacking = [...should].filter((one) => !may.has(one));
    const more = [...may].filter((one) => !should.has(one));
    if (lacking.length > 0)
      return fail(
        'roles',
        `${setting}: ${lacking.length} missing rights, such as ${lacking[0]}.`,
        'Run `node scripts/start/prepare.ts`.',
      );
    if (more.length > 0)
      return warn('roles', `${setting}: the role has more rights than the process needs, such as ${more[0]}.`, ADVICE);
    return ok('roles', `The role of the ${process} has the rights that it needs.`);
  } catch (error) {
    return fail('roles', `${setting} cannot be used: ${reasonOf(error)}.`, 'Run `node scripts/start/prepare.ts`.');
  } finally {
    await pool.end();
  }
}
