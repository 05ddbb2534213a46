import { randomBytes } from 'node:crypto';
import { type Origin, recordAudit } from '@case-platform/lib/audit';
import { type Database, type Executor, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { invalid, UnauthenticatedError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { announceAddressChange, announceAddressRequest, mailAddressLink, type PlatformUrls } from '../mails/staff-mails.ts';
import { endResetTokens, hashResetToken } from '../password/reset-tokens.ts';
import { endChallenges } from '../sign-in/challenges.ts';
import type { Throttle } from '../sign-in/throttle.ts';
import { type ChangedByUser, displayName, type User } from '../users.ts';
import { parseEmail } from './contact-details.ts';
import { NOTIFIED_MS } from './former-addresses.ts';
import { userExists } from './invite-user.ts';
import { wordsOfPerson } from './searched-people.ts';

/** An address whose owner has not followed the link yet. */
export interface WaitingAddress {
  new_address: string;
  expires_at: Date;
}

/** The link lasts over a weekend (ADDRESS-3). */
const LIFETIME_MS = 3 * 24 * 3_600_000;

/**
 * Requests another address in the caller's transaction, which must have locked the record. The account keeps its address until
 * the link sent to the new one is followed (ADDRESS-1). An earlier request ends (ADDRESS-3).
 * @throws {ConflictError} `user_exists` if another record has the address and the same user type.
 */
export async function requestAddressChange(
  tx: Transaction,
  user: User,
  { address, requestedBy }: { address: string; requestedBy: number },
  urls: Pick<PlatformUrls, 'webUrl'>,
  now: Date,
): Promise<void> {
  if (await isTaken(tx, user, address)) throw userExists();
  const token = await storeRequest(tx, user, { address, requestedBy }, now);
  await mailAddressLink(tx, { user, address, token }, urls);
  await announceAddressRequest(tx, user, { address }, now);
}

/** Ends an earlier request and stores this one. @returns the link's token, of which only the hash is stored. */
async function storeRequest(
  tx: Transaction,
  user: User,
  { address, requestedBy }: { address: string; requestedBy: number },
  now: Date,
): Promise<string> {
  await endAddressChange(tx, user.id, now);
  const token = randomBytes(32).toString('base64url');
  await query(
    tx,
    sql`insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at,
                                    expires_at)
        values (${user.id}, ${user.email_address}, ${address}, ${hashResetToken(token)}, ${requestedBy}, ${now},
                ${new Date(now.getTime() + LIFETIME_MS)})`,
  );
  return token;
}

/**
 * Requests another address for one's own account, like `requestAddressChange`. If another record of the same type has the
 * address, the answer is the same but no link is sent, so that it does not reveal who has an account (ADDRESS-4).
 * @throws {InvalidInputError} for an invalid address, and for the current one. @throws {TooManyRequestsError} after three links
 * in fifteen minutes (RATE-4).
 */
export async function requestOwnAddress(
  { db, throttle }: { db: Database; throttle: Throttle },
  input: string,
  by: ChangedByUser,
  urls: Pick<PlatformUrls, 'webUrl'>,
  now: Date,
): Promise<void> {
  const { id } = by.actor;
  const address = parseEmail('email_address', input);
  await throttle.consume('address_link', String(id));
  await db.transaction(async (tx) => {
    const user = await lockOwn(tx, id);
    if (user.email_address === address) throw invalid('email_address', 'This is already your email address.');
    await recordAudit(tx, {
      ...by,
      action: 'user.request_address',
      subject_id: id,
      subject_label: displayName(user),
      before: { email_address: user.email_address },
      after: { email_address: address },
    });
    const token = await storeRequest(tx, user, { address, requestedBy: id }, now);
    if (!(await isTaken(tx, user, address))) await mailAddressLink(tx, { user, address, token }, urls);
    await announceAddressRequest(tx, user, { address }, now);
  });
}

async function lockOwn(tx: Transaction, id: number): Promise<User> {
  const [user] = await query<User>(
    tx,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id
          from user_account where id = ${id} and status = 'active' for no key update`,
  );
  if (user === undefined) throw new UnauthenticatedError();
  return user;
}

/**
 * Changes the address to the one that the link was sent to, and uses up the link. Tokens end at once, because they contain the
 * address, and so do all links and codes that were sent to the previous one.
 * @throws {InvalidInputError} for a link that is unknown, used, expired, or replaced by a later request. @throws {ConflictError}
 * `user_exists`.
 */
export async function confirmAddressChange(
  db: Database,
  { token, origin }: { token: string; origin: Origin },
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { user, address } = await lockRequest(tx, token, now);
    const updatedUser = { ...user, email_address: address };
    await storeAddress(tx, updatedUser);
    await query(tx, sql`update address_change set confirmed_at = ${now} where token_hash = ${hashResetToken(token)}`);
    await endResetTokens(tx, user.id, now);
    await endChallenges(tx, user.id, null, now);
    await recordAudit(tx, {
      actor: user,
      origin,
      action: 'user.confirm_address',
      subject_id: user.id,
      subject_label: displayName(updatedUser),
      before: { email_address: user.email_address },
      after: { email_address: address },
    });
    // Someone whose address was changed by others cannot decide for a while, so their requests go to someone else (ADDRESS-6).
    await enqueue(tx, 'reassign_approvals', { user_id: user.id });
    await announceAddressChange(tx, updatedUser, now);
  });
}

export async function endAddressChange(tx: Executor, userId: number, now: Date): Promise<void> {
  await query(
    tx,
    sql`update address_change set ended_at = ${now} where user_id = ${userId} and confirmed_at is null
           and ended_at is null`,
  );
}

/** The address whose link has not been followed yet, or null. */
export async function findWaitingAddress(db: Executor, userId: number, now: Date): Promise<WaitingAddress | null> {
  const [change] = await query<WaitingAddress>(
    db,
    sql`select new_address, expires_at from address_change
         where user_id = ${userId} and confirmed_at is null and ended_at is null and expires_at > ${now}`,
  );
  return change ?? null;
}

/** The time of the last address change within the 30 days in which the previous address is notified (ADDRESS-2), or null. */
export async function findLastAddressChange(db: Executor, userId: number, now: Date): Promise<Date | null> {
  const [last] = await query<{ confirmed_at: Date | null }>(
    db,
    sql`select max(confirmed_at) as confirmed_at from address_change where user_id = ${userId}
           and confirmed_at > ${new Date(now.getTime() - NOTIFIED_MS)}`,
  );
  return last?.confirmed_at ?? null;
}

/** Locks the account and then the request, so that of two people who follow a link at once the second one finds it used. */
async function lockRequest(tx: Transaction, token: string, now: Date): Promise<{ user: User; address: string }> {
  const openRequest = sql`from address_change c join user_account u on u.id = c.user_id and u.status = 'active'
    where c.token_hash = ${hashResetToken(token)} and c.confirmed_at is null and c.ended_at is null
      and c.expires_at > ${now}`;
  await query(tx, sql`select u.id ${openRequest} for no key update of u`);
  const [row] = await query<User & { new_address: string }>(
    tx,
    sql`select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.agency_id, u.admin_role_id, c.new_address
        ${openRequest} for update of c`,
  );
  if (row === undefined) throw invalid('token', 'This link has been used or has expired. Ask for a new one.');
  const { new_address: address, ...user } = row;
  return { user, address };
}

async function isTaken(tx: Executor, { user_type }: User, address: string): Promise<boolean> {
  const [owner] = await query(tx, sql`select id from user_account where email_address = ${address} and user_type = ${user_type}`);
  return owner !== undefined;
}

async function storeAddress(tx: Transaction, user: User): Promise<void> {
  try {
    await query(
      tx,
      sql`update user_account set email_address = ${user.email_address}, search = ${wordsOfPerson(user)},
                 search_version = ${SEARCH_VERSION}, updated_at = now() where id = ${user.id}`,
    );
  } catch (error) {
    throw isUniqueViolation(error, 'user_account_email_address_user_type_key') ? userExists() : error;
  }
}
