import type { Executor, Transaction } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

export interface RoleSummary {
  id: number;
  name: string;
  /** Whoever has it, whatever the state of their account. */
  people: number;
  /** How many permissions it grants. */
  permissions: number;
}

export interface RoleMember {
  id: number;
  first_name: string;
  last_name: string;
  email_address: string;
  status: 'invited' | 'active' | 'deactivated';
}

export interface Role {
  id: number;
  name: string;
  permissions: Permission[];
  /** Another one as soon as the name or a permission is another, whoever changed it: also a migration. */
  version: string;
}

/** What a change of a role, or giving it, names: `version` of `admin_role r`. An expression. */
export const ROLE_VERSION = sql`to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/'
  || left(md5(array_to_string(array(select p.permission from admin_role_permission p where p.admin_role_id = r.id
                                    order by 1), ' ')), 12)`;

/** As many as a page shows of whoever has a role. */
export const MEMBERS_SHOWN = 100;

/** All roles by name. */
export async function listRoles(db: Executor): Promise<RoleSummary[]> {
  return query<RoleSummary>(
    db,
    sql`select r.id, r.name,
               (select count(*)::int from user_account u where u.admin_role_id = r.id) as people,
               (select count(*)::int from admin_role_permission g where g.admin_role_id = r.id) as permissions
          from admin_role r order by lower(r.name), r.id`,
  );
}

/** One role with its permissions, or null. */
export async function findRole(db: Executor, roleId: number): Promise<Role | null> {
  const [found] = await query<Role>(
    db,
    sql`select r.id, r.name, ${ROLE_VERSION} as version,
               array(select p.permission from admin_role_permission p where p.admin_role_id = r.id
                     order by 1) as permissions
          from admin_role r where r.id = ${roleId}`,
  );
  return found ?? null;
}

/** One role with its permissions. @throws {NotFoundError} for a role that does not exist. */
export async function getRole(db: Executor, roleId: number): Promise<Role> {
  const role = await findRole(db, roleId);
  if (role === null) throw new NotFoundError();
  return role;
}

/**
 * Returns the name of a role, or null for none, and locks the role until the end of the transaction, so that deleting it waits.
 * @throws {InvalidInputError} for a role that does not exist.
 */
export async function lockRoleName(tx: Transaction, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const [role] = await query<{ name: string }>(tx, sql`select name from admin_role where id = ${id} for key share`);
  if (role === undefined) throw invalid('admin_role_id', 'This role no longer exists.');
  return role.name;
}

/** The first people who have a role, those whose account is open before the others, by name. */
export async function listRoleMembers(db: Executor, roleId: number): Promise<RoleMember[]> {
  return query<RoleMember>(
    db,
    sql`select id, first_name, last_name, email_address, status from user_account where admin_role_id = ${roleId}
         order by (status = 'active') desc, lower(first_name), lower(last_name), id limit ${MEMBERS_SHOWN}`,
  );
}
