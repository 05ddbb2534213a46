import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ConflictError, invalid, UnauthenticatedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findTimeZone } from '@case-platform/words/time-zones';
import { announcePhoneChange } from '../mails/account-mails.ts';
import type { Throttle } from '../sign-in/throttle.ts';
import { type ChangedByUser, displayName, type User } from '../users.ts';
import { parsePersonName, parsePhone } from './contact-details.ts';
import { wordsOfPerson } from './searched-people.ts';

export interface ProfileChange {
  first_name?: string | undefined;
  last_name?: string | undefined;
  /** International, with a leading plus; null removes it. */
  phone?: string | null | undefined;
  /** An IANA name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
}

/**
 * Announces a new name to the people of the person's cases, in the transaction of the change.
 * @throws {InvalidInputError} for a name that could be mistaken for that of staff on one of their cases (ACCOUNT-5).
 */
export type AnnounceName = (tx: Transaction, user: User, was: { before: string }, by: ChangedBy) => Promise<void>;

type OwnAccount = User & { phone: string | null; timezone: string; two_factor_method: string | null };

/**
 * Changes the given fields of a user's own record. The owner is notified of a new phone number (ADDRESS-2), and the people of
 * their cases of a new name.
 * @throws {InvalidInputError} for an invalid name, number, or time zone, and as `AnnounceName`.
 * @throws {ConflictError} for a new phone number while codes are sent to the current one (TWO-FACTOR-11). @throws
 * {TooManyRequestsError} after five new numbers in an hour (RATE-4).
 */
export async function updateProfile(
  { db, throttle }: { db: Database; throttle: Throttle },
  change: ProfileChange,
  by: ChangedByUser,
  announceName: AnnounceName,
  now: Date,
): Promise<void> {
  const { actor: user } = by;
  const newFields = {
    ...(change.first_name === undefined ? {} : { first_name: parsePersonName('first_name', change.first_name) }),
    ...(change.last_name === undefined ? {} : { last_name: parsePersonName('last_name', change.last_name) }),
    ...(change.phone === undefined ? {} : { phone: change.phone === null ? null : await parsePhone(change.phone) }),
    ...(change.timezone === undefined ? {} : { timezone: parseTimeZone(change.timezone) }),
  };
  if (await isNewPhone(db, user, change)) await throttle.consume('phone_change', String(user.id));
  await db.transaction(async (tx) => {
    const account = await lockOwn(tx, user.id);
    const changedFields = (Object.keys(newFields) as (keyof typeof newFields)[]).filter(
      (name) => newFields[name] !== account[name],
    );
    if (changedFields.length === 0) return;
    const after = { ...account, ...newFields };
    if (changedFields.includes('phone') && account.two_factor_method === 'sms') {
      throw new ConflictError(
        'Your sign-in codes go to this number. Turn off two-factor sign-in before you change it.',
        'phone_in_use',
      );
    }
    await query(
      tx,
      sql`update user_account set first_name = ${after.first_name}, last_name = ${after.last_name},
                 phone = ${after.phone}, timezone = ${after.timezone}, search = ${wordsOfPerson(after)},
                 search_version = ${SEARCH_VERSION}, updated_at = now()
           where id = ${user.id}`,
    );
    const pick = (from: OwnAccount) => Object.fromEntries(changedFields.map((name) => [name, from[name]]));
    await recordAudit(tx, {
      ...by,
      action: 'user.update_own',
      subject_id: user.id,
      subject_label: displayName(after),
      before: pick(account),
      after: pick(after),
    });
    if (changedFields.includes('phone')) await announcePhoneChange(tx, after, { before: account.phone }, now);
    if (displayName(after) !== displayName(account)) {
      await announceName(tx, after, { before: displayName(account) }, by);
    }
  });
}

export async function isNewPhone(db: Database, user: Pick<User, 'id'>, { phone }: ProfileChange): Promise<boolean> {
  if (phone === undefined) return false;
  const [account] = await query<{ phone: string | null }>(db, sql`select phone from user_account where id = ${user.id}`);
  return account?.phone !== (phone === null ? null : await parsePhone(phone));
}

async function lockOwn(tx: Transaction, userId: number): Promise<OwnAccount> {
  const [account] = await query<OwnAccount>(
    tx,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id, phone, timezone,
               two_factor_method
          from user_account where id = ${userId} for no key update`,
  );
  if (account === undefined) throw new UnauthenticatedError();
  return account;
}

function parseTimeZone(value: string): string {
  const zone = findTimeZone(value);
  if (zone === null) throw invalid('timezone', 'Choose a time zone from the list, such as Europe/Berlin.');
  return zone;
}
