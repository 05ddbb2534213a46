import type { Executor } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';

/**
 * A payee who was changed after the approval must not keep it. @throws {ConflictError} `account_changed` when somebody whom
 * this batch pays has given another account since, or one that is not in use yet.
 */
export async function refuseChangedAccounts(tx: Executor, batchId: number, now: Date): Promise<void> {
  const [changed] = await query<{ disbursement_id: number; holder_name: string }>(
    tx,
    sql`select e.disbursement_id, a.holder_name
          from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
         where e.batch_id = ${batchId} and e.released_at is null
           and (a.replaced_at is not null or a.usable_from > ${now})
         order by e.disbursement_id limit 1`,
  );
  if (changed === undefined) return;
  const { disbursement_id, holder_name } = changed;
  throw new ConflictError(
    `${holder_name}’s bank account (request ${disbursement_id}) was changed. Cancel this batch and make a new one.`,
    'account_changed',
  );
}
