import type { Transaction } from '@case-platform/lib/database';
import { announceToOwner, findUser, type User } from '@case-platform/modules/accounts';
import { queueSms } from '@case-platform/modules/notifications';
import { longDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import type { BankAccount } from './bank-account.ts';

/**
 * Tells the owner, at the address that the account has, where payments go from now on: without the number. Also by text
 * message where there is a phone number: whoever reads somebody's mail can hide a mail (BANK-2).
 */
export async function announceBankAccountChange(
  tx: Transaction,
  owner: User,
  { id, last_four, usable_from }: BankAccount,
): Promise<void> {
  const record = await findUser(tx, owner.id);
  const day = longDayWords(dayOf(usable_from, record?.timezone ?? 'UTC'));
  await announceToOwner(tx, {
    ...{ user: owner, event: 'bank_account_changed', key: `bank_account_changed:${id}` },
    headline: 'Your bank account was changed',
    sentence: `Starting ${day}, payments to you go to the account ending in ${last_four}. Open requests need approval again.`,
  });
  const phone = record?.phone ?? null;
  if (phone === null) return;
  const text = `Case Platform: the bank account for your payments was changed. If this was not you, call your escrow specialist right away.`;
  await queueSms(tx, { key: `bank_account_changed:${id}`, event: 'bank_account_changed', to: owner, phone, text });
}
