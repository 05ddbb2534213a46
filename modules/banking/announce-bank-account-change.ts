import type { DatabaseTransaction } from '@case-platform/db';
import { findUser, type User, userTypeInWords } from '@case-platform/modules/accounts';
import { queueEmail, queueSms } from '@case-platform/modules/notifications';
import type { BankAccount } from './bank-account.ts';

/**
 * Tells the owner, at the address that the account has, where payments go from now on: without the number. Also by text
 * message where there is a phone number: whoever reads somebody's mail can hide a mail (specification, 'SMS': urgent alerts).
 */
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
  const phone = (await findUser(tx, owner.id))?.phone ?? null;
  if (phone === null) return;
  const text = `Case Platform: the bank account that payments to you go to was changed. If this was not you, call your escrow specialist at once.`;
  await queueSms(tx, { key: `bank_account_changed:${id}`, event: 'bank_account_changed', to: owner, phone, text });
}
