import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { TooManyRequestsError } from '@case-platform/lib/errors';
import type { EmailContext } from '@case-platform/modules/notifications';
import { queueEmail, queueSms, sendEmail } from '@case-platform/modules/notifications';
import { type UserType, userTypeInWords } from '@case-platform/words/user-types';
import { createPasswordReset } from '../password/password-reset.ts';
import type { SentCode } from '../sign-in/challenges.ts';
import type { User } from '../users.ts';
import { announceToOwner } from './announce-to-owner.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Makes and mails a reset link, if there is such an account. */
    mail_password_reset: { email_address: string; user_type: UserType; request_id: string };
  }
}

/**
 * Sends a two-factor code by the channel of the account ('SMS': 2FA codes; 'JSON API' 5: methods).
 * @throws {TooManyRequestsError} for a number that nobody has proved, and that was texted too often within a day.
 */
export async function sendCode(tx: Transaction, sent: SentCode): Promise<void> {
  const { user, code, challenge_id, sequence } = sent;
  const key = `code:${challenge_id}:${sequence}`;
  if (sent.method === 'sms') {
    const text = `${code} is your Case Platform code. It works for 10 minutes. Never share it.`;
    const freeAt = await queueSms(tx, { key, event: 'two_factor_code', to: user, phone: user.phone ?? '', text });
    if (freeAt === null) return;
    throw new TooManyRequestsError(
      (freeAt.getTime() - Date.now()) / 1000,
      'This number got too many texts today. Try again tomorrow.',
    );
  }
  await queueEmail(tx, {
    key,
    event: 'two_factor_code',
    to: user,
    subject: 'Your sign-in code',
    template_name: 'login_code.html',
    template_context: { first_name: user.first_name, code },
  });
}

/**
 * Mails a reset link that names the role, because one address may stand on several records. Sent at once (specification,
 * 'Email'): somebody sits in front of a page and waits for it, and this runs in the background already. A job that runs again
 * makes another link, of which nobody hears.
 */
export async function mailPasswordReset(
  context: EmailContext & { now: Date },
  job: { email_address: string; user_type: UserType; request_id: string },
): Promise<void> {
  const { db, webUrl, now } = context;
  const made = await db.transaction((tx) => createPasswordReset(tx, job, now));
  if (made === null) return;
  const { user, token } = made;
  await sendEmail(context, {
    key: `reset:${job.request_id}`,
    event: 'password_reset',
    to: user,
    subject: 'Set a new password',
    template_name: 'password_reset.html',
    template_context: {
      first_name: user.first_name,
      role: userTypeInWords(user.user_type),
      url: `${webUrl}/password-reset/confirm#token=${token}`,
    },
    run_in_background: false,
  });
}

/** Tells the owner that the password was changed: the one mail that a thief does not want them to get. */
export async function announcePasswordChange(tx: Transaction, user: User): Promise<void> {
  await announceToOwner(tx, {
    user,
    event: 'password_changed',
    headline: 'Your password was changed',
    sentence: 'Your account has a new password.',
  });
}

/** Tells the owner that two-factor was turned on or off. */
export async function announceTwoFactorChange(tx: Transaction, user: User, enabled: boolean): Promise<void> {
  const state = enabled ? 'on' : 'off';
  await announceToOwner(tx, {
    user,
    event: 'two_factor_changed',
    headline: `Two-factor sign-in is ${state}`,
    sentence: enabled
      ? 'From now on, signing in takes your password and a code.'
      : 'From now on, your password alone opens your account.',
  });
}

/**
 * Tells the owner that their account has another phone number, or none: by mail, and by text message to the number before,
 * because whoever changed it reads neither (specification, 'SMS': urgent alerts).
 */
export async function announcePhoneChange(
  tx: Transaction,
  user: User,
  { before }: { before: string | null },
): Promise<void> {
  const key = `phone_changed:${randomUUID()}`;
  await announceToOwner(tx, {
    ...{ user, event: 'phone_changed', key, headline: 'Your phone number was changed' },
    sentence: 'The phone number on your account was changed or removed.',
  });
  if (before === null) return;
  const text =
    'Case Platform: The phone number on your account was changed. If this wasn’t you, call your escrow specialist right away.';
  await queueSms(tx, { key, event: 'phone_changed', to: user, phone: before, text });
}
