import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { queueSms } from '@case-platform/modules/notifications';
import type { User } from '../users.ts';
import { announceToOwner } from './announce-to-owner.ts';

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
 * because whoever changed it reads neither (ADDRESS-2).
 */
export async function announcePhoneChange(
  tx: Transaction,
  user: User,
  { before }: { before: string | null },
): Promise<void> {
  const key = `phone_changed:${randomUUID()}`;
  await announceToOwner(tx, {
    user,
    event: 'phone_changed',
    key,
    headline: 'Your phone number was changed',
    sentence: 'The phone number on your account was changed or removed.',
  });
  if (before === null) return;
  const text =
    'Case Platform: The phone number on your account was changed. If this wasn’t you, call your escrow specialist right away.';
  await queueSms(tx, { key, event: 'phone_changed', to: user, phone: before, text });
}
