import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { AccountKind } from '../nacha/records.ts';
import type { BatchStatus } from './batch.ts';

/** The batch that pays a request, and the account that it pays to. */
export interface RequestInBatch {
  batch_id: number;
  batch_status: BatchStatus;
  holder_name: string;
  account_kind: AccountKind;
  last_four: string;
  trace_number: string | null;
}

/** The latest batch that a request is in or came back from, or null. A batch that it was taken out of does not count. */
export async function findBatchEntry(db: Executor, disbursementId: number): Promise<RequestInBatch | null> {
  const [entry] = await query<RequestInBatch>(
    db,
    sql`select e.batch_id, b.status as batch_status, a.holder_name, a.account_kind, a.last_four, e.trace_number
          from banking_batch_entry e
          join banking_batch b on b.id = e.batch_id
          join payee_bank_account a on a.id = e.bank_account_id
         where e.disbursement_id = ${disbursementId} and e.released_at is null
         order by e.id desc limit 1`,
  );
  return entry ?? null;
}
