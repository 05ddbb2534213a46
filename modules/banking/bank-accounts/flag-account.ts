import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import type { Correction } from '../nacha/read-correction.ts';
import type { AccountSeal } from './seal-account-number.ts';

interface Flag {
  bankAccountId: number;
  /** `R02`, `C01`, and so on. */
  code: string;
  correction: Correction | null;
  by: ChangedBy;
}

/**
 * Records the bank's complaint about an account, with its correction encrypted. A notification of change does not replace the
 * flag of a return. An account that the bank reported as closed or missing stays flagged as such until it is entered again,
 * even if another payment to it is returned for a different reason (RETURN-4).
 */
export async function flagAccount(
  tx: Transaction,
  seal: AccountSeal,
  { bankAccountId, code, correction, by }: Flag,
  now: Date,
): Promise<void> {
  const [account] = await query<{ user_id: number; holder_name: string; last_four: string; flag_code: string | null }>(
    tx,
    sql`select user_id, holder_name, last_four, flag_code from payee_bank_account where id = ${bankAccountId} for update`,
  );
  if (account === undefined) return;
  const owner = { user_id: account.user_id };
  const ciphertext = correction === null ? null : seal.seal(owner, JSON.stringify(correction));
  if (isNews(code, account.flag_code ?? ''))
    await query(
      tx,
      sql`update payee_bank_account set flag_code = ${code}, flagged_at = ${now}, correction = ${ciphertext}
           where id = ${bankAccountId}`,
    );
  await recordAudit(tx, {
    ...by,
    action: 'bank_account.flag',
    subject_id: account.user_id,
    subject_label: account.holder_name,
    after: { last_four: account.last_four, code },
  });
}

function isNews(code: string, previous: string): boolean {
  if (needsOtherAccount(previous)) return needsOtherAccount(code);
  return code.startsWith('R') || !previous.startsWith('R');
}
