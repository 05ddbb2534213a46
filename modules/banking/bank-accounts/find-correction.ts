import type { Executor } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { query, sql } from '@case-platform/lib/sql';
import type { Correction } from '../nacha/read-correction.ts';
import { createAccountSeal } from './seal-account-number.ts';
import { ofTheAccount } from './use-correction.ts';

/** The details that the bank says to use instead, as they are shown: of an account number only the last four digits. */
export interface ShownCorrection extends Omit<Correction, 'account_number'> {
  last_four?: string;
  /** True when it changes something about the account, so that it can be applied. */
  is_usable: boolean;
}

/** The correction for the account in use, or null when the bank has sent none. */
export async function findCorrection(
  { db, encryptionKey }: { db: Executor; encryptionKey: EncryptionKey },
  userId: number,
): Promise<ShownCorrection | null> {
  const [row] = await query<{ correction: Buffer }>(
    db,
    sql`select correction from payee_bank_account where user_id = ${userId} and replaced_at is null
           and correction is not null`,
  );
  if (row === undefined) return null;
  const correction = JSON.parse(createAccountSeal(encryptionKey).open({ user_id: userId }, row.correction)) as Correction;
  const { account_number, ...rest } = correction;
  return {
    ...rest,
    ...(account_number === undefined ? {} : { last_four: account_number.slice(-4) }),
    is_usable: Object.keys(ofTheAccount(correction)).length > 0,
  };
}
