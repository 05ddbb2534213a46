import type { DatabaseTransaction } from '@case-platform/db';
import { type User, userTypeInWords } from '@case-platform/modules/accounts';
import { queueEmail } from '@case-platform/modules/notifications';
import type { BankAccount } from './bank-account.ts';

/** Tells the owner, at the address that the account has, where payments go from now on: without the number. */
export async function announceBankAccountChange(
  tx: DatabaseTransaction,
  owner: User,
  { id, last_four }: BankAccount,
): Promise<void> {
  const headline = 'Your bank account was changed';
  const sentence = `Payments to you go to the account ending in ${last_four}, from 48 hours after this change. Requests that were under way wait for approval again.`;
  await queueEmail(tx, {
    key: `bank_account_changed:${id}`,
    event: 'bank_account_changed',
    to: owner,
    subject: headline,
    template_name: 'account_notice.html',
    template_context: { first_name: owner.first_name, role: userTypeInWords(owner.user_type), headline, sentence },
  });
}
