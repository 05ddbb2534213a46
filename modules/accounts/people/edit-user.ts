import { recordAudit } from '@case-platform/lib/audit';
import { type Database, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isBlank } from '@case-platform/lib/text/human-text';
import { announcePhoneChange } from '../mails/account-mails.ts';
import { announceAddressRequest } from '../mails/staff-mails.ts';
import { regrantRole } from '../roles/role-grants.ts';
import {
  auditOf,
  type LockedUser,
  lockUser,
  requireRightsOverUser,
  requireRoleManagerForStaff,
  type StaffChange,
} from '../sign-in/lock-user.ts';
import { displayName, type User } from '../users.ts';
import { requestAddressChange } from './change-address.ts';
import { parseEmail, parseFields, parsePersonName, parsePhone } from './contact-details.ts';
import { nameOfAgency, parseAgency, renewInvitation, userExists } from './invite-user.ts';
import { wordsOfPerson } from './searched-people.ts';
import type { AnnounceName } from './update-profile.ts';

export interface UserEdit {
  email_address: string;
  first_name: string;
  last_name: string;
  /** International, with a leading plus; empty for none. */
  phone: string;
  /** For case managers and agency owners. */
  agency_id: number | null;
}

/** Work in modules above this one that belongs to the transaction of the change. */
export interface EditConsequences {
  announceName: AnnounceName;
  /** Removes a person who moved to another agency from conversations in the former agency's cases (CASE-10). */
  leaveChains: (tx: Transaction, userId: number) => Promise<unknown>;
}

type Fields = Pick<LockedUser, 'email_address' | 'first_name' | 'last_name' | 'phone' | 'agency_id'>;

/**
 * Changes a person's record; without a change it writes nothing. A new address counts once its link is followed (ADDRESS-1). An
 * invited person gets a new invitation at the new address instead (INVITE-4), and their role waits for another administrator
 * again if it may move money.
 * @returns the new address if its owner has to confirm it, otherwise null.
 * @throws {NotFoundError} for an unknown id. @throws {InvalidInputError} with an error for every invalid field.
 * @throws {ForbiddenError} for a person with more permissions than the actor, and for an admin's address or phone number if the
 * actor does not manage roles (STAFF-4).
 * @throws {ConflictError} if another record has the address and user type, for a new phone number while codes are sent to the
 * current one (TWO-FACTOR-11), and for another agency while they are on cases of the current one.
 */
export async function editUser(
  db: Database,
  userId: number,
  edit: UserEdit,
  change: StaffChange,
  consequences: EditConsequences,
): Promise<string | null> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    const newFields = await parseEdit(user, edit);
    const changedFields = (Object.keys(newFields) as (keyof Fields)[]).filter((field) => newFields[field] !== user[field]);
    if (changedFields.length === 0) return null;
    await requireRightToEdit(tx, user, changedFields, change);
    if (changedFields.includes('agency_id')) await requireNoCases(tx, userId, newFields.agency_id);
    const needsConfirmation = changedFields.includes('email_address') && user.status !== 'invited';
    const fields = needsConfirmation ? { ...newFields, email_address: user.email_address } : newFields;
    const { before, after } = await describeChange(tx, user, newFields, changedFields);
    await storeFields(tx, userId, fields);
    if (changedFields.includes('agency_id')) await consequences.leaveChains(tx, userId);
    const action = needsConfirmation ? 'user.request_address' : 'user.update';
    const editedUser = { ...user, ...fields };
    const isInvitedAgain = changedFields.includes('email_address') && !needsConfirmation;
    const isRoleInEffect = !isInvitedAgain || (await regrantRole(tx, editedUser, change, change.urls));
    const whole = { before, after: { ...after, ...(isRoleInEffect ? {} : { role: 'waits' }) } };
    await recordAudit(tx, { ...auditOf(editedUser, change), action, ...whole });
    if (needsConfirmation) await requestNewAddress(tx, editedUser, newFields.email_address, change);
    else if (isInvitedAgain) await inviteAgain(tx, editedUser, user, change);
    if (changedFields.includes('phone')) await announcePhoneChange(tx, editedUser, { before: user.phone }, change.now);
    if (changedFields.includes('first_name') || changedFields.includes('last_name')) {
      await consequences.announceName(tx, editedUser, { before: displayName(user) }, change);
    }
    return needsConfirmation ? newFields.email_address : null;
  });
}

function parseEdit(user: LockedUser, edit: UserEdit): Promise<Fields> {
  return parseFields<Record<keyof Fields, unknown> & Fields>({
    email_address: () => parseEmail('email_address', edit.email_address),
    first_name: () => parsePersonName('first_name', edit.first_name),
    last_name: () => parsePersonName('last_name', edit.last_name),
    phone: () => (isBlank(edit.phone) ? null : parsePhone(edit.phone)),
    agency_id: () => parseAgency(user.user_type, edit.agency_id),
  });
}

async function describeChange(tx: Transaction, user: LockedUser, fields: Fields, changedFields: (keyof Fields)[]) {
  const pick = async (from: Fields) => {
    const { agency_id, ...rest } = Object.fromEntries(changedFields.map((field) => [field, from[field]])) as Partial<Fields>;
    return agency_id === undefined ? rest : { ...rest, agency: await nameOfAgency(tx, agency_id) };
  };
  return { before: await pick(user), after: await pick(fields) };
}

async function storeFields(tx: Transaction, userId: number, fields: Fields): Promise<void> {
  try {
    await query(
      tx,
      sql`update user_account set email_address = ${fields.email_address}, first_name = ${fields.first_name},
                 last_name = ${fields.last_name}, phone = ${fields.phone}, agency_id = ${fields.agency_id},
                 search = ${wordsOfPerson(fields)}, search_version = ${SEARCH_VERSION}, updated_at = now() where id = ${userId}`,
    );
  } catch (error) {
    throw isUniqueViolation(error, 'user_account_email_address_user_type_key') ? userExists() : error;
  }
}

async function requireRightToEdit(
  tx: Transaction,
  user: LockedUser,
  changedFields: (keyof Fields)[],
  change: StaffChange,
): Promise<void> {
  await requireRightsOverUser(tx, user.id, change);
  if (changedFields.includes('email_address') || changedFields.includes('phone')) requireRoleManagerForStaff(user, change);
  if (changedFields.includes('phone') && user.two_factor_method === 'sms') {
    throw new ConflictError('Sign-in codes go to the current number. Reset two-factor sign-in first.', 'phone_in_use');
  }
}

/** People of an agency see its cases through it, so they leave the cases before the agency. */
async function requireNoCases(tx: Transaction, userId: number, agencyId: number | null): Promise<void> {
  const [on] = await query<{ count: number }>(
    tx,
    sql`select count(*)::int as count from case_participant p join case_file c on c.id = p.case_id
         where p.user_id = ${userId} and p.left_at is null and c.agency_id is distinct from ${agencyId}`,
  );
  const count = on?.count ?? 0;
  if (count === 0) return;
  const cases = count === 1 ? 'a case' : `${count} cases`;
  const them = count === 1 ? 'it' : 'them';
  throw new ConflictError(`They’re on ${cases} of the current agency. Remove them from ${them} first.`, 'on_cases');
}

async function requestNewAddress(tx: Transaction, user: User, address: string, { actor, now, urls }: StaffChange): Promise<void> {
  if (actor === null) throw new ForbiddenError();
  await requestAddressChange(tx, user, { address, requestedBy: actor.id }, urls, now);
}

/** Ends the link that was sent to the previous address, and notifies that address. */
async function inviteAgain(tx: Transaction, user: User, before: User, change: StaffChange): Promise<void> {
  await announceAddressRequest(tx, before, { address: user.email_address }, change.now);
  await renewInvitation(tx, user, change);
}
