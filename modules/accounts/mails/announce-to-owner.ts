import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import type { NoticeEvent } from '@case-platform/modules/notifications';
import { queueEmail } from '@case-platform/modules/notifications';
import { userTypeInWords } from '@case-platform/words/user-types';
import { listFormerAddresses } from '../people/former-addresses.ts';
import type { User } from '../users.ts';

/** What an account's owner is told: a headline and a sentence or two. */
export interface OwnerNotice {
  user: User;
  event: NoticeEvent;
  headline: string;
  sentence: string;
  /** Stable where a repeat must tell nothing; by default each call tells anew. */
  key?: string;
  now?: Date;
}

/**
 * Tells the owner of a change of what protects the account or the money, in the change's transaction: at the address that the
 * account has, and at each that it had during the last 30 days (ADDRESS-2). Whoever took an account over by its
 * address reads the one; its owner reads the other.
 */
export async function announceToOwner(tx: Transaction, notice: OwnerNotice): Promise<void> {
  const { user, now = new Date() } = notice;
  const key = notice.key ?? `${notice.event}:${randomUUID()}`;
  await mailNotice(tx, { ...notice, key });
  for (const [index, email_address] of (await listFormerAddresses(tx, user.id, now)).entries()) {
    await mailNotice(tx, { ...notice, key: `${key}:former-${index}`, user: { ...user, email_address } });
  }
}

async function mailNotice(
  tx: Transaction,
  { user, event, headline, sentence, key }: OwnerNotice & { key: string },
): Promise<void> {
  await queueEmail(tx, {
    key,
    event,
    to: user,
    subject: headline,
    template_name: 'account_notice.html',
    template_context: { first_name: user.first_name, role: userTypeInWords(user.user_type), headline, sentence },
  });
}
