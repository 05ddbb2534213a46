import type { ChangedBy } from '@case-platform/lib/audit';
import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { notifyAdministrators } from '../mails/notify-administrators.ts';
import type { PlatformUrls } from '../mails/staff-mails.ts';
import { displayName, fullName, type User } from '../users.ts';
import { adminHasPermission } from './admin-has-permission.ts';
import { MOVES_MONEY, type Permission } from './catalogue.ts';
import { permissionsOfRole } from './granted-permissions.ts';
import { permissionWords } from './permission-words.ts';
import { findRole, lockRoleName } from './roles.ts';
import { setRole } from './set-role.ts';

/** The role and the person as the actor saw them (ROLE-12). */
export interface SeenChoice {
  /** The version of the chosen role; empty for none. */
  role: string;
  /** The result of `assignmentVersion` for the person. */
  assignment: string;
}

/** A version of a person's role and waiting grants. */
export function assignmentVersion(roleId: number | null, waiting: readonly { id: number }[]): string {
  return [roleId ?? 'none', ...waiting.map(({ id }) => id)].join('.');
}

const ROLE_GRANTS_LOCK = 7_214_010_016;

/**
 * True if another administrator has to confirm a grant: once two people may manage roles (ROLE-7). The lock makes grants run one
 * after the other, so that each sees a second administrator who was just added.
 */
async function needsSecond(tx: Transaction): Promise<boolean> {
  await query(tx, sql`select pg_advisory_xact_lock(${ROLE_GRANTS_LOCK})`);
  const [managers] = await query<{ persons: number }>(
    tx,
    sql`select count(distinct (person_records(u.id))[1])::int as persons from user_account u
         where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, 'manage_roles')}`,
  );
  return (managers?.persons ?? 0) >= 2;
}

const movingMoney = (permissions: readonly string[]): Permission[] =>
  MOVES_MONEY.filter((permission) => permissions.includes(permission));

interface RoleGrant {
  user: User;
  before: number | null;
  after: number | null;
  /** The role and the person as the actor saw them; unset when no one chose the role, such as when an account is reactivated. */
  seen?: SeenChoice | undefined;
}

/**
 * Decides whether a role takes effect now or waits for another administrator, and stores a grant that waits (ROLE-7). A role that
 * adds no permission that may move money takes effect at once. The caller then writes the role with `setRole`.
 * @returns true if it takes effect now.
 * @throws {ConflictError} `role_changed` for a role or person that changed after it was seen.
 */
export async function grantRole(
  tx: Transaction,
  { user, before, after, seen }: RoleGrant,
  by: ChangedBy,
  urls: Pick<PlatformUrls, 'adminUrl'>,
): Promise<boolean> {
  // The lock also keeps the role's permissions from changing meanwhile.
  const role = await lockRoleName(tx, after);
  if (seen !== undefined) await requireSeenChoice(tx, { id: user.id, before, after }, seen);
  await withdrawGrant(tx, { user_id: user.id }, by);
  if (after === null) return true;
  const movingBefore = movingMoney(await listRolePermissions(tx, before));
  const movingAfter = movingMoney(await listRolePermissions(tx, after));
  if (movingAfter.length === 0) return true;
  const gains = movingAfter.some((permission) => !movingBefore.includes(permission));
  const waits = gains && by.actor !== null && (await needsSecond(tx));
  if (waits) {
    await query(
      tx,
      sql`insert into role_grant (admin_role_id, user_id, asked_by)
          values (${after}, ${user.id}, ${by.actor?.id ?? null})`,
    );
  }
  const sentence = `${await nameOf(tx, by)} gave ${displayName(user)} the role “${role}”, which can move money.`;
  await notifyAdministrators(tx, { sentence, waits }, urls);
  return !waits;
}

/**
 * Grants a person's role again after their account may have changed hands. A role that may move money waits for another
 * administrator, and until then they have none.
 * @returns true if they still have it.
 */
export async function regrantRole(
  tx: Transaction,
  user: User,
  by: ChangedBy,
  urls: Pick<PlatformUrls, 'adminUrl'>,
): Promise<boolean> {
  const { admin_role_id: role } = user;
  const isInEffect = role === null || (await grantRole(tx, { user, before: null, after: role }, by, urls));
  if (!isInEffect) await setRole(tx, user.id, null);
  return isInEffect;
}

/**
 * Grants more permissions to a role. Those that may move money wait for another administrator and replace a request that was
 * waiting (ROLE-7).
 * @returns the permissions that take effect now: all of them while no one has the role, or no one else could confirm.
 */
export async function grantPermissions(
  tx: Transaction,
  { role, added }: { role: { id: number; name: string }; added: readonly Permission[] },
  by: ChangedBy,
  urls: Pick<PlatformUrls, 'adminUrl'>,
): Promise<Permission[]> {
  const moving = movingMoney(added);
  if (moving.length === 0 || !(await isAssigned(tx, role.id))) return [...added];
  const waits = by.actor !== null && (await needsSecond(tx));
  if (waits) {
    await withdrawGrant(tx, { admin_role_id: role.id }, by);
    await query(
      tx,
      sql`insert into role_grant (admin_role_id, permissions, asked_by)
          values (${role.id}, ${moving}, ${by.actor?.id ?? null})`,
    );
  }
  const sentence = `${await nameOf(tx, by)} gave the role “${role.name}” more permissions that can move money: ${moving.map(permissionWords).join(', ')}.`;
  await notifyAdministrators(tx, { sentence, waits }, urls);
  return waits ? added.filter((permission) => !moving.includes(permission)) : [...added];
}

/** @throws {ConflictError} `role_changed` when the role, or what the person has, changed since it was seen (ROLE-9, ROLE-12). */
async function requireSeenChoice(
  tx: Transaction,
  { id, before, after }: { id: number; before: number | null; after: number | null },
  seen: SeenChoice,
): Promise<void> {
  const waiting = await query<{ id: number }>(
    tx,
    sql`select id from role_grant where user_id = ${id} and status = 'waiting' order by id`,
  );
  if (seen.assignment !== assignmentVersion(before, waiting)) {
    const words = 'Someone else changed this person’s role while you had it open. Here it is now. Make your change again.';
    throw new ConflictError(words, 'role_changed');
  }
  const role = after === null ? null : await findRole(tx, after);
  if (role === null || role.version === seen.role) return;
  throw new ConflictError(
    `Someone else changed the role “${role.name}” while you had this open. See what it allows now, then make your change again.`,
    'role_changed',
  );
}

/** A new request replaces the one that waits. */
async function withdrawGrant(
  tx: Transaction,
  of: { user_id: number } | { admin_role_id: number },
  { actor }: ChangedBy,
): Promise<void> {
  const which = 'user_id' in of ? sql`user_id = ${of.user_id}` : sql`user_id is null and admin_role_id = ${of.admin_role_id}`;
  await query(
    tx,
    sql`update role_grant set status = 'refused', decided_by = coalesce(${actor?.id ?? null}::bigint, asked_by),
               decided_at = clock_timestamp() where status = 'waiting' and ${which}`,
  );
}

async function listRolePermissions(db: Executor, roleId: number | null): Promise<string[]> {
  const rows = await query<{ permission: string }>(db, permissionsOfRole(roleId));
  return rows.map(({ permission }) => permission);
}

/**
 * A role cannot be deleted while someone's request about it waits.
 * @throws {ConflictError} `role_grant_waits`, with the name of the person who made the request.
 */
export async function requireNoWaitingGrant(tx: Transaction, roleId: number): Promise<void> {
  const [grant] = await query<{ asked_by: string; user_name: string | null }>(
    tx,
    sql`select ${fullName(sql`asker`)} as asked_by, case when g.user_id is not null then ${fullName(sql`u`)} end as user_name
          from role_grant g join user_account asker on asker.id = g.asked_by left join user_account u on u.id = g.user_id
         where g.admin_role_id = ${roleId} and g.status = 'waiting' order by g.id limit 1`,
  );
  if (grant === undefined) return;
  const what = grant.user_name === null ? 'asked for more permissions for it' : `gave it to ${grant.user_name}`;
  throw new ConflictError(
    `${grant.asked_by} ${what}, and that is waiting for a second administrator. Confirm or refuse it first.`,
    'role_grant_waits',
  );
}

async function isAssigned(db: Executor, roleId: number): Promise<boolean> {
  const rows = await query(
    db,
    sql`select from user_account where admin_role_id = ${roleId}
        union all
        select from role_grant where admin_role_id = ${roleId} and user_id is not null and status = 'waiting' limit 1`,
  );
  return rows.length > 0;
}

export async function nameOf(db: Executor, { actor }: ChangedBy): Promise<string> {
  const [user] = await query<{ first_name: string; last_name: string; email_address: string }>(
    db,
    sql`select first_name, last_name, email_address from user_account where id = ${actor?.id ?? null}`,
  );
  return user === undefined ? 'The platform' : displayName(user);
}
