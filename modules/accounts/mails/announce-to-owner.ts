import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import type { NoticeEvent } from '@case-platform/modules/notifications';
import { queueEmail } from '@case-platform/modules/notifications';
import { userTypeInWords } from '@case-platform/words/user-types';
import { listFormerAddresses } from '../people/former-addresses.ts';
import type { User } from '../users.ts';

export interface OwnerNotice {
  user: User;
  event: NoticeEvent;
  headline: string;
  sentence: string;
  /** A repeated call with the same key sends nothing; without a key, every call sends. */
  key?: string;
}

/**
 * Notifies the owner of a change to what protects the account or the money, in the transaction of the change. The mail goes to
 * the current address and to every address of the last 30 days (ADDRESS-2): a thief who changed the address reads only the
 * current one.
 */
export async function announceToOwner(tx: Transaction, notice: OwnerNotice, now: Date): Promise<void> {
  const { user } = notice;
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
