import { randomUUID } from 'node:crypto';
import { brand } from '@case-platform/lib/brand';
import type { Transaction } from '@case-platform/lib/database';
import { queueEmail } from '@case-platform/modules/notifications';
import { toApiUserType, userTypeInWords } from '@case-platform/words/user-types';
import type { User } from '../users.ts';
import { announceToOwner } from './announce-to-owner.ts';

/** Mails about changes by staff to an account. Each is queued in the transaction of the change. */

/** The base addresses of links in mails: the web frontend, and the staff application. */
export interface PlatformUrls {
  webUrl: string;
  adminUrl: string;
}

interface Invitation {
  user: User;
  token: string;
  invited_by: string;
}

/** Mails an invitation, whose link sets the first password. It names the role, because one address can have several records. */
export async function mailInvitation(
  tx: Transaction,
  { user, token, invited_by }: Invitation,
  { webUrl, adminUrl }: PlatformUrls,
): Promise<void> {
  await queueEmail(tx, {
    key: `invitation:${randomUUID()}`,
    event: 'invitation',
    to: user,
    subject: `You’re invited to ${brand().name}`,
    template_name: 'invitation.html',
    template_context: {
      first_name: user.first_name,
      invited_by,
      role: userTypeInWords(user.user_type),
      url: invitationAddress({ user, token }, webUrl),
      sign_in_url: user.user_type === 'admin' ? `${adminUrl}/login` : `${webUrl}/login?role=${toApiUserType(user.user_type)}`,
    },
  });
}

export function invitationAddress({ user, token }: Pick<Invitation, 'user' | 'token'>, webUrl: string): string {
  return `${webUrl}/password-reset/confirm?${new URLSearchParams(welcomeParameters(user))}#token=${token}`;
}

/** The page welcomes the person and preselects their role at sign-in with these parameters. */
function welcomeParameters({ user_type }: User): Record<string, string> {
  return user_type === 'admin' ? { invitation: 'staff' } : { invitation: '1', role: toApiUserType(user_type) };
}

/**
 * Mails the link that confirms a new address (ADDRESS-1). It leaves out the owner's name, because the address may be a
 * stranger's.
 */
export async function mailAddressLink(
  tx: Transaction,
  { user, address, token }: { user: User; address: string; token: string },
  { webUrl }: Pick<PlatformUrls, 'webUrl'>,
): Promise<void> {
  await queueEmail(tx, {
    key: `address_link:${randomUUID()}`,
    event: 'address_link',
    to: { ...user, email_address: address },
    subject: 'Confirm your email address',
    template_name: 'address_link.html',
    template_context: {
      role: userTypeInWords(user.user_type),
      url: `${webUrl}/password-reset/address#token=${token}`,
    },
  });
}

/** Notifies the owner, at the current address, that a new one was requested. */
export async function announceAddressRequest(
  tx: Transaction,
  user: User,
  { address }: { address: string },
  now: Date,
): Promise<void> {
  await announceToOwner(
    tx,
    {
      user,
      event: 'address_changed',
      headline: 'Your email address is about to change',
      sentence: `We sent a link to ${address}. Once you open it, that address replaces this one.`,
    },
    now,
  );
}

/** Notifies the owner at the new address and at the previous ones. */
export async function announceAddressChange(tx: Transaction, user: User, now: Date): Promise<void> {
  await announceToOwner(
    tx,
    {
      user,
      event: 'address_changed',
      headline: 'Your email address was changed',
      sentence: `From now on, you sign in with ${user.email_address}.`,
    },
    now,
  );
}

/** Notifies the owner that staff turned off two-factor (STAFF-6). */
export async function announceTwoFactorReset(
  tx: Transaction,
  user: User,
  { passwordEnded }: { passwordEnded: boolean },
  now: Date,
): Promise<void> {
  await announceToOwner(
    tx,
    {
      user,
      event: 'two_factor_changed',
      headline: 'Two-factor sign-in was reset',
      sentence: passwordEnded
        ? 'We turned two-factor sign-in off. Your password is too short without it: choose “Forgot your password?” where you sign in, and set a new one.'
        : 'We turned two-factor sign-in off. Your password alone opens your account until you turn it on again.',
    },
    now,
  );
}
