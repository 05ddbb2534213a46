import type { Database, DatabaseTransaction } from '@case-platform/db';
import { recordAudit } from '@case-platform/lib/audit';
import { isUniqueViolation, run } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { checkAll, checkEmail, checkName, checkPhone } from './contact-details.ts';
import {
  checkAgency,
  nameOfAgency,
  nameOfRole,
  renewInvitation,
  type SendInvitation,
  userExists,
} from './invite-user.ts';
import { auditOf, type LockedUser, lockUser, refuseTakeover, type StaffChange } from './lock-user.ts';
import { endResetTokens } from './reset-tokens.ts';
import type { User } from './users.ts';

/** A record as it was filled in anew. */
export interface UserEdit {
  email_address: string;
  first_name: string;
  last_name: string;
  /** International, with a leading plus; empty for none. */
  phone: string;
  /** For case managers and agency owners. */
  agency_id: number | null;
}

/** What a new address sets off, in the same transaction. */
export interface AddressMails {
  /** An invited person gets their invitation at the new address. */
  sendInvitation: SendInvitation;
  /** Everyone else is told, at the old address and at the new one. */
  announce: (tx: DatabaseTransaction, user: User, oldAddress: string) => Promise<void>;
}

/** Makes sure that somebody who manages roles is left, within the transaction; throws when nobody is. */
export type KeepRoleManager = (tx: DatabaseTransaction) => Promise<void>;

type Fields = Pick<LockedUser, 'email_address' | 'first_name' | 'last_name' | 'phone' | 'agency_id'>;

/**
 * Changes a person's record. With another address their tokens end at once, because tokens name the address, and so does
 * every link that went to the old one; an invited person is invited anew. Nothing changed: nothing is written.
 * @throws {NotFoundError} for an unknown id. @throws {InvalidInputError} naming every field that cannot be accepted.
 * @throws {ForbiddenError} for an admin's address changed by someone who does not manage roles.
 * @throws {ConflictError} for a pair that is taken, or another phone number while codes are sent to the present one.
 */
export async function editUser(
  db: Database,
  userId: number,
  edit: UserEdit,
  change: StaffChange,
  mails: AddressMails,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId, change);
    const fields = checkEdit(user, edit);
    const changed = (Object.keys(fields) as (keyof Fields)[]).filter((field) => fields[field] !== user[field]);
    if (changed.length === 0) return;
    const isMoved = changed.includes('email_address');
    if (isMoved) refuseTakeover(user, change);
    if (changed.includes('phone') && user.two_factor_method === 'sms') {
      throw new ConflictError('Sign-in codes go to the present number. Reset two-factor first.', 'phone_in_use');
    }
    const { before, after } = await describeChange(tx, user, fields, changed);
    await store(tx, userId, fields);
    await recordAudit(tx, { ...auditOf({ ...user, ...fields }, change), action: 'user.update', before, after });
    if (isMoved) await moveAddress(tx, { ...user, ...fields }, user.email_address, { change, mails });
  });
}

/**
 * Gives an admin another role, or none.
 * @throws {NotFoundError} for an unknown id. @throws {InvalidInputError} for a role that does not exist, or no admin.
 * @throws whatever `keepRoleManager` throws when nobody would be left who manages roles.
 */
export async function assignRole(
  db: Database,
  { user_id, admin_role_id }: { user_id: number; admin_role_id: number | null },
  change: StaffChange,
  keepRoleManager: KeepRoleManager,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, user_id, change);
    if (user.user_type !== 'admin') throw invalid('admin_role_id', 'Only staff have a role.');
    if (user.admin_role_id === admin_role_id) return;
    const before = { role: await nameOfRole(tx, user.admin_role_id) };
    const after = { role: await nameOfRole(tx, admin_role_id) };
    await run(tx, 'update user_account set admin_role_id = $2, updated_at = now() where id = $1', [
      user_id,
      admin_role_id,
    ]);
    await keepRoleManager(tx);
    await recordAudit(tx, { ...auditOf(user, change), action: 'user.assign_role', before, after });
  });
}

function checkEdit(user: LockedUser, edit: UserEdit): Fields {
  return checkAll<Record<keyof Fields, unknown> & Fields>({
    email_address: () => checkEmail('email_address', edit.email_address),
    first_name: () => checkName('first_name', edit.first_name),
    last_name: () => checkName('last_name', edit.last_name),
    phone: () => (edit.phone.trim() === '' ? null : checkPhone(edit.phone)),
    agency_id: () => checkAgency(user.user_type, edit.agency_id),
  });
}

async function describeChange(tx: DatabaseTransaction, user: LockedUser, fields: Fields, changed: (keyof Fields)[]) {
  const pick = async (from: Fields) => {
    const { agency_id, ...rest } = Object.fromEntries(changed.map((field) => [field, from[field]])) as Partial<Fields>;
    return agency_id === undefined ? rest : { ...rest, agency: await nameOfAgency(tx, agency_id) };
  };
  return { before: await pick(user), after: await pick(fields) };
}

async function store(tx: DatabaseTransaction, userId: number, fields: Fields): Promise<void> {
  try {
    await run(
      tx,
      `update user_account set email_address = $2, first_name = $3, last_name = $4, phone = $5, agency_id = $6,
              updated_at = now() where id = $1`,
      [userId, fields.email_address, fields.first_name, fields.last_name, fields.phone, fields.agency_id],
    );
  } catch (error) {
    throw isUniqueViolation(error, 'user_account_email_address_user_type_key') ? userExists() : error;
  }
}

/** What was sent to the old address opens nothing any more. */
async function moveAddress(
  tx: DatabaseTransaction,
  user: LockedUser,
  oldAddress: string,
  { change, mails }: { change: StaffChange; mails: AddressMails },
): Promise<void> {
  await endResetTokens(tx, user.id, change.now);
  await run(tx, 'update tfa_challenge set used_at = $2 where user_id = $1 and used_at is null', [user.id, change.now]);
  if (user.status === 'invited') await renewInvitation(tx, user, change.now, mails.sendInvitation);
  if (user.status === 'active') await mails.announce(tx, user, oldAddress);
}
