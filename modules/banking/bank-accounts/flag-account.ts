import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import { run, type Transaction } from '@case-platform/lib/database';
import type { Correction } from '../nacha/read-correction.ts';
import type { AccountSeal } from './seal-account-number.ts';

interface Flag {
  bankAccountId: number;
  /** `R02`, `C01` and so on. */
  code: string;
  correction: Correction | null;
  by: ChangedBy;
  now: Date;
}

/** Notes on an account what the bank says of it; what should be used instead is kept encrypted. */
export async function flagAccount(
  tx: Transaction,
  seal: AccountSeal,
  { bankAccountId, code, correction, by, now }: Flag,
): Promise<void> {
  const [account] = await run<{ user_id: number; holder_name: string; last_four: string }>(
    tx,
    'select user_id, holder_name, last_four from payee_bank_account where id = $1 for update',
    [bankAccountId],
  );
  if (account === undefined) return;
  const owner = { user_id: account.user_id };
  const sealed = correction === null ? null : seal.seal(owner, JSON.stringify(correction));
  await run(tx, 'update payee_bank_account set flag_code = $2, flagged_at = $3, correction = $4 where id = $1', [
    ...[bankAccountId, code, now, sealed],
  ]);
  await recordAudit(tx, {
    ...by,
    action: 'bank_account.flag',
    subject_id: account.user_id,
    subject_label: account.holder_name,
    after: { last_four: account.last_four, code },
  });
}
