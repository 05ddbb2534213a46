import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ChangedError, ConflictError, ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { notifyAdministrators } from '../mails/notify-administrators.ts';
import type { PlatformUrls } from '../mails/staff-mails.ts';
import { canBeSecondPerson, requireSecondPerson } from '../people/second-person.ts';
import { requireRightsOfRole } from '../sign-in/lock-user.ts';
import { displayName } from '../users.ts';
import { adminHasPermission } from './admin-has-permission.ts';
import type { Permission } from './catalogue.ts';
import { permissionsOfAdmin } from './granted-permissions.ts';
import { GRANT_VERSION } from './list-role-grants.ts';
import { requireRoleAdministrator } from './require-role-administrator.ts';
import { nameOf } from './role-grants.ts';
import { setRole } from './set-role.ts';

export interface SeenGrant {
  id: number;
  version: string;
}

/** The person who gets the role, if any, and the role; the page leads back to one of them. */
export interface DecidedGrant {
  user_id: number | null;
  admin_role_id: number;
}

interface LockedGrant extends DecidedGrant {
  id: number;
  permissions: Permission[] | null;
  asked_by: number;
  role_name: string;
  first_name: string;
  last_name: string;
  email_address: string;
}

/**
 * Confirms a grant of another administrator. It counts from the next request on (ROLE-7).
 * @throws {NotFoundError} if the grant does not exist. @throws {ForbiddenError} `same_person` for the person who requested it or
 * gets it; `address_moved` for an account whose address one of them changed recently; `may_do_more` for a role with more
 * permissions than the actor has, and for permissions that the actor lacks while another administrator has them (ROLE-10).
 * @throws {ConflictError} if it was already decided. @throws {ChangedError} if the role or the person changed (ROLE-9).
 */
export async function confirmGrant(
  db: Database,
  seen: SeenGrant,
  by: ChangedBy,
  urls: Pick<PlatformUrls, 'adminUrl'>,
): Promise<DecidedGrant> {
  return db.transaction(async (tx) => {
    const grant = await lockGrant(tx, seen);
    const { user_id, admin_role_id, permissions, role_name } = grant;
    const problem = 'You asked for this or would get it, so another administrator has to confirm it.';
    await requireSecondPerson(tx, by.actor, [grant.asked_by, user_id], problem);
    if (user_id !== null) await requireRightsOfRole(tx, admin_role_id, by);
    else await requirePermissionsToConfirm(tx, grant, by);
    await decide(tx, grant, by, 'confirmed');
    if (user_id !== null) {
      await setRole(tx, user_id, admin_role_id);
      await requireRoleAdministrator(tx);
    } else await addPermissions(tx, admin_role_id, permissions ?? []);
    const subject = user_id === null ? `what the role “${role_name}” may do` : `${displayName(grant)}’s role “${role_name}”`;
    const sentence = `${await nameOf(tx, by)} confirmed ${subject}.`;
    await notifyAdministrators(tx, { sentence, waits: false }, urls);
    return { user_id, admin_role_id };
  });
}

/**
 * Requires an actor who has these permissions, and so gains nothing by confirming them (ROLE-10). If no other administrator has
 * all of them, anyone who manages roles may confirm; otherwise a permission that its last holder lost could never come back.
 */
async function requirePermissionsToConfirm(
  tx: Transaction,
  { permissions, asked_by }: LockedGrant,
  { actor }: ChangedBy,
): Promise<void> {
  const lacks = (admin: Sql) => sql`exists (select unnest(${permissions ?? []}::text[]) except (${permissionsOfAdmin(admin)}))`;
  const [otherConfirmer] = await query(
    tx,
    sql`select from user_account w
         where w.user_type = 'admin' and w.status = 'active' and ${adminHasPermission(sql`w.id`, 'manage_roles')}
           and ${canBeSecondPerson(sql`w.id`, sql`array[${asked_by}::bigint]`)} and not ${lacks(sql`w.id`)}
           and ${lacks(sql`${actor?.id ?? null}::bigint`)} limit 1`,
  );
  if (otherConfirmer === undefined) return;
  throw new ForbiddenError(
    'Your role doesn’t allow this itself. An administrator whose role does has to confirm it.',
    'may_do_more',
  );
}

/**
 * Refuses a grant, or withdraws one's own. @throws {NotFoundError} @throws {ConflictError} @throws {ChangedError} as
 * `confirmGrant`.
 */
export async function refuseGrant(db: Database, seen: SeenGrant, by: ChangedBy): Promise<DecidedGrant> {
  return db.transaction(async (tx) => {
    const grant = await lockGrant(tx, seen);
    await decide(tx, grant, by, 'refused');
    return { user_id: grant.user_id, admin_role_id: grant.admin_role_id };
  });
}

/** Locks the person before the role, in the same order as everywhere, so that giving them another role waits. */
async function lockGrant(tx: Transaction, { id, version }: SeenGrant): Promise<LockedGrant> {
  const [target] = await query<DecidedGrant>(tx, sql`select user_id, admin_role_id from role_grant where id = ${id}`);
  if (target === undefined) throw new NotFoundError('This is no longer waiting.');
  await query(tx, sql`select id from user_account where id = ${target.user_id} for no key update`);
  await query(tx, sql`select id from admin_role where id = ${target.admin_role_id} for update`);
  const [grant] = await query<LockedGrant & { status: string; version: string }>(
    tx,
    sql`select g.id, g.user_id, g.admin_role_id, g.permissions, g.asked_by, g.status, r.name as role_name,
               u.first_name, u.last_name, u.email_address, ${GRANT_VERSION} as version
          from role_grant g join admin_role r on r.id = g.admin_role_id left join user_account u on u.id = g.user_id
         where g.id = ${id} for update of g`,
  );
  if (grant === undefined) throw new NotFoundError('This is no longer waiting.');
  if (grant.status !== 'waiting') throw new ConflictError('This was already confirmed or refused.', 'wrong_state');
  if (grant.version !== version)
    throw new ChangedError('The role or the person changed after you opened this. Check it again, then decide.');
  return grant;
}

async function decide(
  tx: Transaction,
  { id, user_id, admin_role_id, permissions, role_name, ...person }: LockedGrant,
  by: ChangedBy,
  status: 'confirmed' | 'refused',
): Promise<void> {
  await query(
    tx,
    sql`update role_grant set status = ${status}, decided_by = ${by.actor?.id ?? null}, decided_at = clock_timestamp()
         where id = ${id}`,
  );
  const verb = status === 'confirmed' ? 'confirm' : 'refuse';
  const entry =
    user_id === null
      ? {
          action: `role.${verb}_permissions` as const,
          subject_id: admin_role_id,
          subject_label: role_name,
          after: { permissions },
        }
      : {
          action: `user.${verb}_role` as const,
          subject_id: user_id,
          subject_label: displayName(person),
          after: { role: role_name },
        };
  await recordAudit(tx, { ...by, ...entry });
}

async function addPermissions(tx: Transaction, roleId: number, permissions: readonly Permission[]): Promise<void> {
  await query(
    tx,
    sql`insert into admin_role_permission (admin_role_id, permission)
        select ${roleId}, value from admin_permission where value = any(${permissions}) on conflict do nothing`,
  );
  await query(tx, sql`update admin_role set updated_at = clock_timestamp() where id = ${roleId}`);
}
