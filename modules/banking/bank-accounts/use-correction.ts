import type { Database } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { lockBanking } from '../banking-lock.ts';
import type { Correction } from '../nacha/read-correction.ts';
import { type BankAccount, requireSeenAccount } from './bank-account.ts';
import { type BankAccountInput, parseBankAccount } from './parse-bank-account.ts';
import { createAccountSeal } from './seal-account-number.ts';
import { type AccountChange, replaceBankAccount } from './set-bank-account.ts';

/** The part of a correction that changes an account; people only read the rest. */
export function ofTheAccount({ routing_number, account_number, account_kind, holder_name }: Correction): Correction {
  return {
    ...(routing_number === undefined ? {} : { routing_number }),
    ...(account_number === undefined ? {} : { account_number }),
    ...(account_kind === undefined ? {} : { account_kind }),
    ...(holder_name === undefined ? {} : { holder_name }),
  };
}

/**
 * Applies the correction of a notification of change like any other change of the account (RETURN-5).
 * @throws {ConflictError} when there is no correction for the account in use, or it does not change the account.
 * @throws {InvalidInputError} when the corrected account is not valid.
 */
export async function useCorrection(
  { db, encryptionKey }: { db: Database; encryptionKey: EncryptionKey },
  userId: number,
  { by, now, version }: AccountChange,
): Promise<BankAccount> {
  const seal = createAccountSeal(encryptionKey);
  return db.transaction(async (tx) => {
    await lockBanking(tx);
    if (version !== undefined) await requireSeenAccount(tx, userId, version);
    type Row = Omit<BankAccountInput, 'account_number'> & { account_number: Buffer; correction: Buffer | null };
    const [row] = await query<Row>(
      tx,
      sql`select holder_name, routing_number, account_number, account_kind, correction
            from payee_bank_account where user_id = ${userId} and replaced_at is null`,
    );
    if (row?.correction == null) throw new ConflictError('The bank didn’t give a correction.', 'no_correction');
    const { correction, account_number, ...rest } = row;
    const fromBank = JSON.parse(seal.open({ user_id: userId }, correction)) as Correction;
    const corrected = ofTheAccount(fromBank);
    if (Object.keys(corrected).length === 0)
      throw new ConflictError('The bank’s correction doesn’t change the account.', 'no_correction');
    const current = { ...rest, account_number: seal.open({ user_id: userId }, account_number) };
    const input = parseBankAccount({ ...current, ...corrected });
    return replaceBankAccount(tx, seal, { userId, input, by, now });
  });
}
