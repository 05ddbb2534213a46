import { randomUUID } from 'node:crypto';
import { brand } from '@case-platform/lib/brand';
import type { Transaction } from '@case-platform/lib/database';
import { queueSms } from '@case-platform/modules/notifications';
import type { User } from '../users.ts';
import { announceToOwner } from './announce-to-owner.ts';

/** Notifies the owner of a new password, since someone who stole the account would not (PASSWORD-7). */
export async function announcePasswordChange(tx: Transaction, user: User, now: Date): Promise<void> {
  await announceToOwner(
    tx,
    {
      user,
      event: 'password_changed',
      headline: 'Your password was changed',
      sentence: 'Your account has a new password.',
    },
    now,
  );
}

export async function announceTwoFactorChange(tx: Transaction, user: User, enabled: boolean, now: Date): Promise<void> {
  const state = enabled ? 'on' : 'off';
  await announceToOwner(
    tx,
    {
      user,
      event: 'two_factor_changed',
      headline: `Two-factor sign-in is ${state}`,
      sentence: enabled
        ? 'From now on, signing in takes your password and a code.'
        : 'From now on, your password alone opens your account.',
    },
    now,
  );
}

/**
 * Notifies the owner by mail, and by text message to the previous number, which a thief of the account does not read (ADDRESS-2).
 */
export async function announcePhoneChange(
  tx: Transaction,
  user: User,
  { before }: { before: string | null },
  now: Date,
): Promise<void> {
  const key = `phone_changed:${randomUUID()}`;
  await announceToOwner(
    tx,
    {
      user,
      event: 'phone_changed',
      key,
      headline: 'Your phone number was changed',
      sentence: 'The phone number on your account was changed or removed.',
    },
    now,
  );
  if (before === null) return;
  const text = `${brand().name}: The phone number on your account was changed. If this wasn’t you, call your escrow specialist right away.`;
  await queueSms(tx, { key, event: 'phone_changed', to: user, phone: before, text });
}
