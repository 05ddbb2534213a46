import type { Executor } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { query, sql } from '@case-platform/lib/sql';
import type { Correction } from '../nacha/read-correction.ts';
import { createAccountSeal } from './seal-account-number.ts';
import { ofTheAccount } from './use-correction.ts';

/** What the bank has said should be used instead, as it is shown: of an account number its last four alone. */
export interface ShownCorrection extends Omit<Correction, 'account_number'> {
  last_four?: string;
  /** Whether it changes anything of the account, so that it can be taken over. */
  is_usable: boolean;
}

/** The correction of the account in use, or null when the bank has said nothing. */
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
  const said = JSON.parse(createAccountSeal(encryptionKey).open({ user_id: userId }, row.correction)) as Correction;
  const { account_number, ...rest } = said;
  return {
    ...rest,
    ...(account_number === undefined ? {} : { last_four: account_number.slice(-4) }),
    is_usable: Object.keys(ofTheAccount(said)).length > 0,
  };
}
