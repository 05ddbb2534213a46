import { brand } from '@case-platform/lib/brand';
import type { Transaction } from '@case-platform/lib/database';
import { announceToOwner, findUser, runForRecipient, type User } from '@case-platform/modules/accounts';
import { queueSms } from '@case-platform/modules/notifications';
import { longDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import type { BankAccount } from './bank-account.ts';

/**
 * Notifies the owner, without the account number, that payments go to another account. A text message is sent as well if there is
 * a phone number, because someone who can read the owner's mail could hide the email (BANK-2).
 */
export async function announceBankAccountChange(
  tx: Transaction,
  owner: User,
  { id, last_four, usable_from }: BankAccount,
  now: Date,
): Promise<void> {
  const record = await findUser(tx, owner.id);
  const writeDay = async () => longDayWords(dayOf(usable_from, record?.timezone ?? 'UTC'));
  const day = await runForRecipient(tx, owner.id, writeDay);
  await announceToOwner(
    tx,
    {
      user: owner,
      event: 'bank_account_changed',
      key: `bank_account_changed:${id}`,
      headline: 'Your bank account was changed',
      sentence: `Starting ${day}, payments to you go to the account ending in ${last_four}. Open requests need approval again.`,
    },
    now,
  );
  const phone = record?.phone ?? null;
  if (phone === null) return;
  const text = `${brand().name}: the bank account for your payments was changed. If this was not you, call your escrow specialist right away.`;
  await queueSms(tx, { key: `bank_account_changed:${id}`, event: 'bank_account_changed', to: owner, phone, text });
}
