import type { Executor, Transaction } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { Permission } from './catalogue.ts';

export interface RoleSummary {
  id: number;
  name: string;
  /** People with this role, whatever the state of their account. */
  people: number;
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
  /** Changes whenever the name or a permission changes, also by a migration (ROLE-5). */
  version: string;
}

/**
 * An expression: the `version` of `admin_role r`. A change or grant of a role names the version that was seen (ROLE-5, ROLE-12).
 */
export const ROLE_VERSION = sql`to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/'
  || left(md5(array_to_string(array(select p.permission from admin_role_permission p where p.admin_role_id = r.id
                                    order by 1), ' ')), 12)`;

export const MEMBERS_SHOWN = 100;

export async function listRoles(db: Executor): Promise<RoleSummary[]> {
  return query<RoleSummary>(
    db,
    sql`select r.id, r.name,
               (select count(*)::int from user_account u where u.admin_role_id = r.id) as people,
               (select count(*)::int from admin_role_permission g where g.admin_role_id = r.id) as permissions
          from admin_role r order by lower(r.name), r.id`,
  );
}

export async function findRole(db: Executor, roleId: number): Promise<Role | null> {
  const [role] = await query<Role>(
    db,
    sql`select r.id, r.name, ${ROLE_VERSION} as version,
               array(select p.permission from admin_role_permission p where p.admin_role_id = r.id
                     order by 1) as permissions
          from admin_role r where r.id = ${roleId}`,
  );
  return role ?? null;
}

/** @throws {NotFoundError} for a role that does not exist. */
export async function getRole(db: Executor, roleId: number): Promise<Role> {
  const role = await findRole(db, roleId);
  if (role === null) throw new NotFoundError();
  return role;
}

/**
 * Returns the name of a role, or null without an id. Locks the role until the end of the transaction, so that deleting it waits.
 * @throws {InvalidInputError} for a role that does not exist.
 */
export async function lockRoleName(tx: Transaction, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const [role] = await query<{ name: string }>(tx, sql`select name from admin_role where id = ${id} for key share`);
  if (role === undefined) throw invalid('admin_role_id', 'This role no longer exists.');
  return role.name;
}

/** The first people who have a role, by name, active ones first. */
export async function listRoleMembers(db: Executor, roleId: number): Promise<RoleMember[]> {
  return query<RoleMember>(
    db,
    sql`select id, first_name, last_name, email_address, status from user_account where admin_role_id = ${roleId}
         order by (status = 'active') desc, lower(first_name), lower(last_name), id ${limitTo(MEMBERS_SHOWN)}`,
  );
}
