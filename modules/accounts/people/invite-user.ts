import { type ChangedBy, recordAudit, SYSTEM } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ConflictError, ForbiddenError, invalid, TooManyRequestsError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isBlank } from '@case-platform/lib/text/human-text';
import type { UserType } from '@case-platform/words/user-types';
import { mailInvitation, type PlatformUrls } from '../mails/staff-mails.ts';
import { endResetTokens, issueResetToken } from '../password/reset-tokens.ts';
import { grantRole, type SeenChoice } from '../roles/role-grants.ts';
import { lockRoleName } from '../roles/roles.ts';
import { setRole } from '../roles/set-role.ts';
import { auditOf, lockUser, requireRightsOfRole, requireRightsOverUser, type StaffChange } from '../sign-in/lock-user.ts';
import { displayName, type User } from '../users.ts';
import { parseEmail, parseFields, parsePersonName, parsePhone } from './contact-details.ts';
import { wordsOfPerson } from './searched-people.ts';

export interface InvitationInput {
  email_address: string;
  user_type: UserType;
  first_name: string;
  last_name: string;
  /** International, with a leading plus; empty for none. */
  phone: string;
  /** For case managers and agency owners. */
  agency_id: number | null;
  admin_role_id: number | null;
}

const RESEND_AFTER_MS = 60_000;

/**
 * Creates a record without a password and mails an invitation, whose link sets one and lasts seven days (INVITE-2). A role that
 * may move money waits for another administrator (ROLE-7).
 * @param seen the role as the actor saw it (ROLE-12).
 * @returns the id of the new record.
 * @throws {InvalidInputError} with an error for every invalid field.
 * @throws {ForbiddenError} for a role given by someone who does not manage roles, or a role with more permissions than the actor
 * has.
 * @throws {ConflictError} `user_exists` if a record with this address and user type exists.
 */
export async function inviteUser(db: Database, input: InvitationInput, change: StaffChange, seen?: SeenChoice): Promise<number> {
  if (input.admin_role_id !== null && !change.manages_roles) {
    throw new ForbiddenError('You can’t give roles. Ask someone who manages them.');
  }
  const person = await parseInvitation(input);
  return db.transaction(async (tx) => {
    await requireRightsOfRole(tx, person.admin_role_id, change);
    const user = await addInvited(tx, person, { by: change, urls: change.urls, seen });
    await sendInvitation(tx, user, change);
    return user.id;
  });
}

/**
 * Invites an admin in the caller's transaction on behalf of the operator, so that no admin is needed to give the role
 * (OPERATE-1). Someone already invited with this role gets a new link that replaces the last one.
 * @throws {InvalidInputError} with an error for every invalid field.
 * @throws {ConflictError} `user_exists` if another record with this address and user type exists.
 */
export async function inviteByOperator(
  tx: Transaction,
  person: Pick<InvitationInput, 'email_address' | 'first_name' | 'last_name'> & { admin_role_id: number },
  urls: PlatformUrls,
  now: Date,
): Promise<{ user: User; token: string }> {
  const invitation = await parseInvitation({ ...person, user_type: 'admin', phone: '', agency_id: null });
  const [invited] = await query<User>(
    tx,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id from user_account
         where email_address = ${invitation.email_address} and user_type = 'admin' and status = 'invited'
           and admin_role_id = ${person.admin_role_id} for no key update`,
  );
  if (invited !== undefined) await endResetTokens(tx, invited.id, now);
  const user = invited ?? (await addInvited(tx, invitation, { by: { actor: null, origin: SYSTEM }, urls }));
  return { user, token: await issueResetToken(tx, { user_id: user.id, purpose: 'invitation' }, now) };
}

/**
 * Sends the invitation again; earlier links no longer work (INVITE-2).
 * @throws {NotFoundError} for an unknown id. @throws {ConflictError} if the person is not invited.
 * @throws {ForbiddenError} for a person with more permissions than the actor.
 * @throws {TooManyRequestsError} within a minute of the previous invitation.
 */
export async function resendInvitation(db: Database, userId: number, change: StaffChange): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, userId, change);
    await requireRightsOverUser(tx, userId, change);
    if (user.status !== 'invited') {
      throw new ConflictError('This person has no open invitation to send again.', 'not_invited');
    }
    const [last] = await query<{ created_at: Date }>(
      tx,
      sql`select created_at from password_reset where user_id = ${userId} and purpose = 'invitation'
           order by id desc limit 1`,
    );
    const wait = (last?.created_at.getTime() ?? 0) + RESEND_AFTER_MS - change.now.getTime();
    if (wait > 0) throw new TooManyRequestsError(wait / 1000, 'An invitation was sent less than a minute ago.');
    await renewInvitation(tx, user, change);
    await recordAudit(tx, { ...auditOf(user, change), action: 'user.resend_invitation' });
  });
}

/** Sends a new link in the caller's transaction and ends earlier ones. */
export async function renewInvitation(tx: Transaction, user: User, change: StaffChange): Promise<void> {
  await endResetTokens(tx, user.id, change.now);
  await sendInvitation(tx, user, change);
}

async function sendInvitation(tx: Transaction, user: User, { actor, now, urls }: StaffChange): Promise<void> {
  if (actor === null) throw new ForbiddenError();
  const token = await issueResetToken(tx, { user_id: user.id, purpose: 'invitation' }, now);
  await mailInvitation(tx, { user, token, invited_by: displayName(actor) }, urls);
}

/** @throws {InvalidInputError} if a case manager or agency owner has no agency, or anyone else has one. */
export function parseAgency(userType: UserType, agencyId: number | null): number | null {
  const isAgencyPerson = userType === 'cm' || userType === 'owner';
  if (isAgencyPerson && agencyId === null) throw invalid('agency_id', 'Choose the agency they work for.');
  if (!isAgencyPerson && agencyId !== null) {
    throw invalid('agency_id', 'Only case managers and agency owners belong to an agency.');
  }
  return agencyId;
}

/** @throws {InvalidInputError} for an agency that does not exist. */
export async function nameOfAgency(tx: Transaction, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const [agency] = await query<{ name: string }>(tx, sql`select name from agency where id = ${id} for key share`);
  if (agency === undefined) throw invalid('agency_id', 'This agency no longer exists.');
  return agency.name;
}

type ParsedInvitation = Omit<InvitationInput, 'phone'> & { phone: string | null };

async function parseInvitation({ user_type, ...input }: InvitationInput): Promise<ParsedInvitation> {
  const person = await parseFields<Omit<ParsedInvitation, 'user_type'>>({
    email_address: () => parseEmail('email_address', input.email_address),
    first_name: () => parsePersonName('first_name', input.first_name),
    last_name: () => parsePersonName('last_name', input.last_name),
    phone: () => (isBlank(input.phone) ? null : parsePhone(input.phone)),
    agency_id: () => parseAgency(user_type, input.agency_id),
    admin_role_id: () => {
      if (user_type === 'admin' || input.admin_role_id === null) return input.admin_role_id;
      throw invalid('admin_role_id', 'Only staff have a role.');
    },
  });
  return { ...person, user_type };
}

async function addInvited(
  tx: Transaction,
  person: ParsedInvitation,
  { by, urls, seen }: { by: ChangedBy; urls: PlatformUrls; seen?: SeenChoice | undefined },
): Promise<User> {
  const agency = await nameOfAgency(tx, person.agency_id);
  const role = await lockRoleName(tx, person.admin_role_id);
  const user = await addRecord(tx, { ...person, admin_role_id: null });
  const { admin_role_id: roleId } = person;
  const isRoleInEffect = roleId === null || (await grantRole(tx, { user, before: null, after: roleId, seen }, by, urls));
  if (isRoleInEffect) await setRole(tx, user.id, roleId);
  const { admin_role_id: _role, agency_id: _agency, id: _id, ...after } = { ...user, phone: person.phone };
  await recordAudit(tx, {
    ...auditOf(user, by),
    action: 'user.invite',
    after: { ...after, agency, ...(isRoleInEffect ? { role } : { asked_role: role }) },
  });
  return user;
}

async function addRecord(tx: Transaction, input: ParsedInvitation): Promise<User> {
  const [user] = await query<User>(
    tx,
    sql`insert into user_account (email_address, user_type, first_name, last_name, phone, agency_id, admin_role_id,
                                  status, search, search_version)
        values (${input.email_address}, ${input.user_type}, ${input.first_name}, ${input.last_name}, ${input.phone},
                ${input.agency_id}, ${input.admin_role_id}, 'invited', ${wordsOfPerson(input)}, ${SEARCH_VERSION})
        on conflict (email_address, user_type) do nothing
        returning id, email_address, user_type, first_name, last_name, agency_id, admin_role_id`,
  );
  if (user === undefined) throw userExists();
  return user;
}

/** The error for a second record with the same address and user type (LAYER-2). */
export function userExists(): ConflictError {
  return new ConflictError('There is already a record with this email address and role.', 'user_exists');
}
