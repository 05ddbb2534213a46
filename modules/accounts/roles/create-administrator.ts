import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { cleanLine } from '@case-platform/lib/text/human-text';
import type { PlatformUrls } from '../mails/staff-mails.ts';
import { inviteByOperator } from '../people/invite-user.ts';
import type { User } from '../users.ts';
import { adminHasPermission } from './admin-has-permission.ts';
import { STANDARD_ROLES } from './standard-roles.ts';

const ADMINISTRATOR_LOCK = 7_214_010_021;

interface NewAdministrator {
  email: string;
  name: string;
  /** Invites another administrator even if one exists. */
  another: boolean;
}

/**
 * Invites the first administrator of an installation, and creates the standard roles if there are no roles at all (OPERATE-1).
 * Calls run one after the other, so the second of two sees the first one's administrator.
 * @returns the invited person and the token of their link, of which only the hash is stored.
 * @throws {ConflictError} `administrator_exists` unless `another`; `user_exists`.
 * @throws {InvalidInputError} with an error for every invalid field.
 */
export async function createAdministrator(
  db: Database,
  { email, name, another }: NewAdministrator,
  urls: PlatformUrls,
  now: Date,
): Promise<{ user: User; token: string }> {
  const [, first_name = '', last_name = ''] = /^(.*) (\S+)$/.exec(cleanLine(name)) ?? [];
  if (first_name === '') throw invalid('name', 'The name needs a first and a last name.');
  return db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(${ADMINISTRATOR_LOCK})`);
    if (!another) await requireNoAdministrator(tx);
    await createStandardRoles(tx);
    const admin_role_id = await findAdministratorRole(tx);
    const person = { email_address: email, first_name, last_name, admin_role_id };
    return inviteByOperator(tx, person, urls, now);
  });
}

async function requireNoAdministrator(tx: Transaction): Promise<void> {
  const [administrator] = await query<{ email_address: string }>(
    tx,
    sql`select u.email_address from user_account u
         where u.user_type = 'admin' and u.status <> 'deactivated' and ${adminHasPermission(sql`u.id`, 'manage_roles')}
         order by u.id limit 1`,
  );
  if (administrator === undefined) return;
  throw new ConflictError(
    `There is an administrator already: ${administrator.email_address}. Use --another to add one.`,
    'administrator_exists',
  );
}

/** Does nothing once any role exists, so that standard roles that were renamed or deleted do not come back. */
async function createStandardRoles(tx: Transaction): Promise<void> {
  if ((await query(tx, sql`select from admin_role limit 1`)).length > 0) return;
  for (const [name, permissions] of Object.entries(STANDARD_ROLES)) {
    const [role] = await query<{ id: number }>(tx, sql`insert into admin_role (name) values (${name}) returning id`);
    const subject_id = role?.id ?? 0;
    await query(
      tx,
      sql`insert into admin_role_permission (admin_role_id, permission)
          select ${subject_id}, unnest(${permissions}::text[])`,
    );
    const after = { name, permissions };
    await recordAudit(tx, {
      actor: null,
      origin: SYSTEM,
      action: 'role.create',
      subject_id,
      subject_label: name,
      after,
    });
  }
}

/** The role with the most permissions among those that include `manage_roles`. */
async function findAdministratorRole(tx: Transaction): Promise<number> {
  const [role] = await query<{ id: number }>(
    tx,
    sql`select g.admin_role_id as id from admin_role_permission g group by g.admin_role_id
        having bool_or(g.permission = 'manage_roles') order by count(*) desc, g.admin_role_id limit 1`,
  );
  if (role !== undefined) return role.id;
  throw new ConflictError('No role has the permission manage_roles.', 'no_such_role');
}
