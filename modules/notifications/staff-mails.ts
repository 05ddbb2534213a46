import { randomUUID } from 'node:crypto';
import type { DatabaseTransaction } from '@case-platform/db';
import { toApiUserType, type User, userTypeInWords } from '@case-platform/modules/accounts';
import type { NoticeEvent } from './events.ts';
import { queueEmail } from './queue-email.ts';

/** Mails about what staff did to an account, each in the transaction of what it tells. */

/** Where people sign in: the web frontend, and the server-rendered application for staff. */
interface Addresses {
  webUrl: string;
  adminUrl: string;
}

interface Invitation {
  user: User;
  token: string;
  invited_by: string;
  /** The invitation as the mail provider keeps it. */
  provider_template_id?: string;
}

/** Mails an invitation, whose link sets the first password. It names the role: one address may stand on several records. */
export async function mailInvitation(
  tx: DatabaseTransaction,
  { user, token, invited_by, provider_template_id }: Invitation,
  { webUrl, adminUrl }: Addresses,
): Promise<void> {
  await queueEmail(tx, {
    key: `invitation:${randomUUID()}`,
    event: 'invitation',
    to: user,
    subject: 'You are invited to the Case Platform',
    template_name: 'invitation.html',
    template_context: {
      first_name: user.first_name,
      invited_by,
      role: userTypeInWords(user.user_type),
      url: `${webUrl}/password-reset/confirm?${new URLSearchParams({ token, ...whoIsInvited(user) })}`,
      sign_in_url: user.user_type === 'admin' ? `${adminUrl}/login` : `${webUrl}/login`,
    },
    ...(provider_template_id === undefined ? {} : { provider_template_id }),
  });
}

/** What the page needs to know to welcome them, and to have their role chosen where they sign in. */
function whoIsInvited({ user_type }: User): Record<string, string> {
  return user_type === 'admin' ? { invitation: 'staff' } : { invitation: '1', role: toApiUserType(user_type) };
}

/** Tells the owner at both addresses that their account has another one now. */
export async function announceAddressChange(tx: DatabaseTransaction, user: User, oldAddress: string): Promise<void> {
  const sentence = 'We gave your account another email address. Sign in with the new one from now on.';
  const notice = { user, event: 'address_changed' as const, headline: 'Your email address was changed', sentence };
  await mailNotice(tx, { ...notice, user: { ...user, email_address: oldAddress } });
  await mailNotice(tx, { ...notice, sentence: 'This is now the email address that you sign in with.' });
}

/** Tells the owner that staff took two-factor off their account. */
export async function announceTwoFactorReset(tx: DatabaseTransaction, user: User): Promise<void> {
  await mailNotice(tx, {
    user,
    event: 'two_factor_changed',
    headline: 'Two-factor sign-in was reset',
    sentence: 'We turned two-factor sign-in off. Your password alone opens your account until you turn it on again.',
  });
}

interface Notice {
  user: User;
  event: NoticeEvent;
  headline: string;
  sentence: string;
}

async function mailNotice(tx: DatabaseTransaction, { user, event, headline, sentence }: Notice): Promise<void> {
  await queueEmail(tx, {
    key: `${event}:${user.id}:${randomUUID()}`,
    event,
    to: user,
    subject: headline,
    template_name: 'account_notice.html',
    template_context: { first_name: user.first_name, role: userTypeInWords(user.user_type), headline, sentence },
  });
}
