import type { Executor } from '@case-platform/lib/database';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson, isPersonAmong } from '../people/second-person.ts';
import { fullName, type User } from '../users.ts';
import { adminHasPermission } from './admin-has-permission.ts';
import type { Permission } from './catalogue.ts';

/** A role for a person, or permissions for a role, that wait for another administrator. */
export interface RoleGrant {
  id: number;
  admin_role_id: number;
  role_name: string;
  /** The person who would get the role; null if the role would get permissions. */
  user_id: number | null;
  user_name: string | null;
  /** The permissions that the role would get; null if a person would get the role. */
  permissions: Permission[] | null;
  asked_by_name: string;
  asked_at: Date;
  /** Must be sent with a decision (ROLE-9). */
  version: string;
  is_own: boolean;
  /** True if the reader may confirm it beside the person who requested it and the person who gets it (PERSON-2). */
  may_decide: boolean;
  /** True if at least one administrator could confirm it now. */
  has_second: boolean;
}

/** An expression: the hash of everything that is decided about, of `role_grant g`, its role `r`, and its person `u` (ROLE-9). */
export const GRANT_VERSION = sql`encode(sha256(convert_to(jsonb_build_array(g.id, g.user_id, g.admin_role_id, g.permissions,
  g.asked_by, r.name, u.admin_role_id, u.status, u.email_address,
  array(select p.permission from admin_role_permission p where p.admin_role_id = r.id order by 1))::text, 'UTF8')), 'hex')`;

const PARTIES = sql`array[g.asked_by, g.user_id]`;

function select(db: Executor, reader: User, conditions: readonly Sql[]): Promise<RoleGrant[]> {
  return query<RoleGrant>(
    db,
    sql`select g.id, g.admin_role_id, r.name as role_name, g.user_id, g.permissions, g.asked_at,
               case when g.user_id is not null then ${fullName(sql`u`)} end as user_name,
               ${fullName(sql`asker`)} as asked_by_name, ${GRANT_VERSION} as version,
               ${isPersonAmong(reader.id, sql`array[g.asked_by]`)} as is_own,
               ${canBeSecondPerson(reader.id, PARTIES)} as may_decide,
               exists (select from user_account w
                        where w.user_type = 'admin' and w.status = 'active' and ${adminHasPermission(sql`w.id`, 'manage_roles')}
                          and ${canBeSecondPerson(sql`w.id`, PARTIES)}) as has_second
          from role_grant g join admin_role r on r.id = g.admin_role_id join user_account asker on asker.id = g.asked_by
          left join user_account u on u.id = g.user_id
         where ${allOf([sql`g.status = 'waiting'`, ...conditions])} order by g.id limit 100`,
  );
}

/** Lists all waiting grants, or those of a role or a person, oldest first. Only for readers who may manage roles. */
export function listRoleGrants(
  db: Executor,
  reader: User,
  of: { admin_role_id?: number; user_id?: number } = {},
): Promise<RoleGrant[]> {
  const role = of.admin_role_id === undefined ? [] : [sql`g.admin_role_id = ${of.admin_role_id}`];
  const person = of.user_id === undefined ? [] : [sql`g.user_id = ${of.user_id}`];
  return select(db, reader, [...role, ...person]);
}

export function listWaitingRoleGrants(db: Executor, reader: User): Promise<RoleGrant[]> {
  return select(db, reader, [canBeSecondPerson(reader.id, PARTIES)]);
}
