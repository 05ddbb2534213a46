import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import { type Database, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { parseName } from '@case-platform/lib/text/typed-text';
import { ROLE_NAME_MAX } from '@case-platform/words/limits';
import type { PlatformUrls } from '../mails/staff-mails.ts';
import { displayName } from '../users.ts';
import { isPermission, listCatalogue, type Permission } from './catalogue.ts';
import { requireRoleAdministrator } from './require-role-administrator.ts';
import { grantPermissions, requireNoWaitingGrant } from './role-grants.ts';
import { getRole, listRoleMembers, type Role, type RoleMember } from './roles.ts';

const NAMED_MAX = 3;

export interface SeenRole {
  id: number;
  version: string;
}

/**
 * Creates a role without permissions.
 * @param input the name, 1 to 100 characters; no two names may differ only in case.
 * @returns its id.
 * @throws {InvalidInputError} for an invalid name. @throws {ConflictError} `role_name_taken`.
 */
export async function createRole(db: Database, input: string, by: ChangedBy): Promise<number> {
  const name = parseRoleName(input);
  return db.transaction(async (tx) => {
    const [row] = await requireFreeRoleName(name, () =>
      query<{ id: number }>(tx, sql`insert into admin_role (name) values (${name}) returning id`),
    );
    const id = row?.id ?? 0;
    await recordAudit(tx, {
      ...by,
      action: 'role.create',
      subject_id: id,
      subject_label: name,
      after: { name },
    });
    return id;
  });
}

/**
 * @throws {NotFoundError} for a role that does not exist. @throws {InvalidInputError} for an invalid name.
 * @throws {ConflictError} `role_name_taken`; `role_changed` if someone else changed the role meanwhile (ROLE-5).
 */
export async function renameRole(db: Database, seen: SeenRole, input: string, by: ChangedBy): Promise<void> {
  const name = parseRoleName(input);
  await db.transaction(async (tx) => {
    const role = await lockRole(tx, seen);
    if (role.name === name) return;
    await requireFreeRoleName(name, () =>
      query(tx, sql`update admin_role set name = ${name}, updated_at = clock_timestamp() where id = ${role.id}`),
    );
    await recordAudit(tx, {
      ...by,
      action: 'role.rename',
      subject_id: role.id,
      subject_label: name,
      before: { name: role.name },
      after: { name },
    });
  });
}

/**
 * Sets the permissions of a role, for the next request of everyone who has it (ROLE-3). Added permissions that may move money
 * wait for another administrator if someone has the role (ROLE-7).
 * @returns true if some of them wait.
 * @throws {NotFoundError} for a role that does not exist. @throws {InvalidInputError} for an unknown permission.
 * @throws {ConflictError} `role_changed` if someone else changed the role meanwhile; `last_role_manager` if no one would be left
 * who manages roles.
 */
export async function setRolePermissions(
  db: Database,
  seen: SeenRole,
  permissions: readonly string[],
  by: ChangedBy,
  urls: Pick<PlatformUrls, 'adminUrl'>,
): Promise<boolean> {
  const choice = parsePermissions(permissions);
  return db.transaction(async (tx) => {
    const role = await lockRole(tx, seen);
    const newPermissions = choice.filter((permission) => !role.permissions.includes(permission));
    const added = await grantPermissions(tx, { role, added: newPermissions }, by, urls);
    const waiting = newPermissions.filter((permission) => !added.includes(permission));
    // Permissions that only a newer version of the platform knows stay.
    const removals = role.permissions.filter((value) => isPermission(value) && !choice.includes(value));
    if (waiting.length > 0) await recordWaitingPermissions(tx, role, waiting, by);
    if (added.length + removals.length === 0) return waiting.length > 0;
    await query(tx, sql`delete from admin_role_permission where admin_role_id = ${role.id} and permission = any(${removals})`);
    await query(
      tx,
      sql`insert into admin_role_permission (admin_role_id, permission)
          select ${role.id}, value from admin_permission where value = any(${added}) on conflict do nothing`,
    );
    await query(tx, sql`update admin_role set updated_at = clock_timestamp() where id = ${role.id}`);
    if (removals.includes('manage_roles')) await requireRoleAdministrator(tx);
    if (removals.length > 0) await reassignWorkOfMembers(tx, role);
    const after = await getRole(tx, role.id);
    await recordAudit(tx, {
      ...by,
      action: 'role.set_permissions',
      subject_id: role.id,
      subject_label: role.name,
      before: { permissions: role.permissions },
      after: { permissions: after.permissions },
    });
    return waiting.length > 0;
  });
}

/** Reassigns conversations and approvals that members of the role can no longer read or decide about (CHAIN-7, APPROVER-3). */
async function reassignWorkOfMembers(tx: Transaction, { id }: Role): Promise<void> {
  const members = await query<{ id: number }>(tx, sql`select id from user_account where admin_role_id = ${id} order by id`);
  for (const member of members) await enqueue(tx, 'reassign_approvals', { user_id: member.id });
  await enqueue(tx, 'reassign_chains', {});
}

async function recordWaitingPermissions(
  tx: Transaction,
  { id, name }: Role,
  permissions: readonly Permission[],
  by: ChangedBy,
): Promise<void> {
  const entry = { action: 'role.ask_permissions', subject_id: id, subject_label: name } as const;
  await recordAudit(tx, { ...by, ...entry, after: { permissions } });
}

/**
 * @throws {NotFoundError} for a role that does not exist. @throws {ConflictError} `role_in_use`, with the names of people who
 * have it; `role_grant_waits` while someone waits to get it.
 */
export async function deleteRole(db: Database, roleId: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const role = await lockRole(tx, { id: roleId });
    const members = await listRoleMembers(tx, role.id);
    if (members.length > 0) throw new ConflictError(inUseWords(members), 'role_in_use');
    await requireNoWaitingGrant(tx, role.id);
    await query(tx, sql`delete from admin_role where id = ${role.id}`);
    await recordAudit(tx, {
      ...by,
      action: 'role.delete',
      subject_id: role.id,
      subject_label: role.name,
      before: { name: role.name, permissions: role.permissions },
    });
  });
}

/** Locks the role until the end of the transaction, so that giving or changing it waits. */
async function lockRole(tx: Transaction, seen: { id: number; version?: string }): Promise<Role> {
  const [row] = await query(tx, sql`select id from admin_role where id = ${seen.id} for update`);
  if (row === undefined) throw new NotFoundError('This role no longer exists.');
  const role = await getRole(tx, seen.id);
  if (seen.version !== undefined && seen.version !== role.version) {
    throw new ConflictError(
      'Someone else changed this role while you had it open. Here it is now. Make your change again.',
      'role_changed',
    );
  }
  return role;
}

export function parseRoleName(input: string): string {
  return parseName(input, { field: 'name', label: 'The name', max: ROLE_NAME_MAX, empty: 'Give the role a name.' });
}

function parsePermissions(input: readonly string[]): Permission[] {
  const unknown = input.find((value) => !isPermission(value));
  if (unknown !== undefined) throw invalid('permissions', 'We don’t recognize one of these permissions.');
  return listCatalogue()
    .map((entry) => entry.value)
    .filter((value) => input.includes(value));
}

/** @throws {ConflictError} `role_name_taken` if the work fails because another role has the name. */
async function requireFreeRoleName<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ConflictError(`There’s already a role named “${name}”.`, 'role_name_taken');
  }
}

function inUseWords(members: RoleMember[]): string {
  const names = members.slice(0, NAMED_MAX).map(displayName);
  const more = members.length - names.length;
  const parts = more > 0 ? [...names, `${more} more`] : names;
  const who = parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
  return `${who} still ${members.length === 1 ? 'has' : 'have'} this role. Give them another role first.`;
}
