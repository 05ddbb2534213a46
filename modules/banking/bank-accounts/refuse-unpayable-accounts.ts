import type { Executor } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import type { LockedBatch } from '../batches/batch.ts';
import { type BankAccount, whyNotPayable } from './bank-account.ts';

type Paid = Pick<BankAccount, 'holder_name' | 'usable_from' | 'flag_code'> & {
  disbursement_id: number;
  payee_name: string;
  is_replaced: boolean;
};

/**
 * A batch goes no step further that pays somebody whom a new one could not pay: a payee who was changed after the approval must
 * not keep it, and a payment to an account that the bank has called none would come back as well.
 * @throws {ConflictError} `account_changed` when somebody whom this batch pays has given another account since;
 * `payee_not_payable` where nothing is paid to the account now (`whyNotPayable`).
 */
export async function refuseUnpayableAccounts(tx: Executor, { id, status }: LockedBatch, now: Date): Promise<void> {
  const entries = await query<Paid>(
    tx,
    sql`select e.disbursement_id, ${fullName(sql`u`)} as payee_name, a.holder_name, a.usable_from, a.flag_code,
               a.replaced_at is not null as is_replaced
          from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
          join user_account u on u.id = a.user_id
         where e.batch_id = ${id} and e.released_at is null order by e.disbursement_id`,
  );
  const isAlone = entries.length === 1;
  const wayOut =
    status === 'draft' && !isAlone ? 'Take it out of this batch.' : 'Cancel this batch and make a new one.';
  for (const { disbursement_id, payee_name, holder_name, is_replaced, ...account } of entries) {
    if (is_replaced) {
      const words = `${holder_name}’s bank account (request ${disbursement_id}) was changed.`;
      throw new ConflictError(`${words} ${wayOut}`, 'account_changed');
    }
    const why = whyNotPayable(account, now);
    if (why === null) continue;
    const words = `Request ${disbursement_id} can’t be paid: ${payee_name} ${why}.`;
    throw new ConflictError(`${words} ${wayOut}`, 'payee_not_payable');
  }
}
