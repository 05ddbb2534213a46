import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { sendBackApprovals } from '@case-platform/modules/disbursements';

/**
 * Removes the approvals of payees who changed their account after the batch was gathered: those approvals were for the previous
 * account, and could not be removed while the batch had a file (BANK-3).
 */
export async function sendBackChangedPayees(tx: Transaction, batchId: number, by: ChangedBy, now: Date): Promise<void> {
  const payees = await query<{ user_id: number }>(
    tx,
    sql`select distinct a.user_id from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
         where e.batch_id = ${batchId} and a.replaced_at is not null order by a.user_id`,
  );
  for (const { user_id } of payees) {
    await sendBackApprovals(tx, user_id, by, now);
  }
}
