import type { Database } from '@case-platform/db';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { checkName, checkPhone } from './contact-details.ts';
import type { User } from './users.ts';

export interface ProfileChange {
  first_name?: string | undefined;
  last_name?: string | undefined;
  /** International, with a leading plus; null removes it. */
  phone?: string | null | undefined;
  /** An IANA name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
}

/**
 * Changes what is given of a user's own record.
 * @throws {InvalidInputError} for a name, number or time zone that cannot be.
 * @throws {ConflictError} for another phone number while codes are sent to the present one.
 */
export async function updateProfile(db: Database, user: Pick<User, 'id'>, change: ProfileChange): Promise<void> {
  const set = {
    ...(change.first_name === undefined ? {} : { first_name: checkName('first_name', change.first_name) }),
    ...(change.last_name === undefined ? {} : { last_name: checkName('last_name', change.last_name) }),
    ...(change.phone === undefined ? {} : { phone: change.phone === null ? null : checkPhone(change.phone) }),
    ...(change.timezone === undefined ? {} : { timezone: checkTimezone(change.timezone) }),
  };
  if (Object.keys(set).length === 0) return;
  let update = db
    .updateTable('user_account')
    .set({ ...set, updated_at: new Date() })
    .where('id', '=', user.id);
  if (set.phone !== undefined) {
    update = update.where((is) =>
      is.or([
        is('two_factor_method', 'is distinct from', 'sms'),
        is('phone', 'is not distinct from', set.phone ?? null),
      ]),
    );
  }
  const { numUpdatedRows } = await update.executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new ConflictError(
      'Your sign-in codes go to this number. Turn them off before you change it.',
      'phone_in_use',
    );
  }
}

function checkTimezone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw invalid('timezone', 'timezone is not one that exists, such as Europe/Berlin.');
  }
}
