import { type Executor, run } from '@case-platform/lib/database';
import type { BatchStatus } from './batch.ts';
import { SIGNATURES_NEEDED } from './sign-file.ts';

export interface WaitingBatch {
  id: number;
  /** `draft`: waits for approval; `generated`: its file waits for a signature. */
  status: Extract<BatchStatus, 'draft' | 'generated'>;
  entry_count: number;
  total_cents: number;
  created_at: Date;
}

/** `$1` is the reader: compared as a person, as the commands do it. */
const isMine = (record: string) => `(${record} = any ((select person_records($1::bigint))::bigint[]))`;
const IS_INSIDER = 'coalesce((select person_records($1::bigint)) && batch_insiders(b.id), false)';

/**
 * The batches that somebody can take a step further, the oldest first: to approve, never those they made or have a part in; to sign, those
 * that still need a signature and do not have theirs.
 */
export async function listWaitingBatches(
  db: Executor,
  userId: number,
  { approves, signs, limit }: { approves: boolean; signs: boolean; limit: number },
): Promise<WaitingBatch[]> {
  return run<WaitingBatch>(
    db,
    `(select b.id, b.status, b.entry_count, b.total_cents, b.created_at from banking_batch b
       where $2 and b.status = 'draft' and not ${isMine('b.created_by')}
         and not ${IS_INSIDER} order by b.id limit $4)
     union all
     (select b.id, b.status, b.entry_count, b.total_cents, b.created_at from banking_batch b
       where $3 and b.status = 'generated'
         and (select count(*) from batch_signature s where s.batch_id = b.id) < ${SIGNATURES_NEEDED}
         and not exists (select from batch_signature s where s.batch_id = b.id and ${isMine('s.user_id')})
         and not ${IS_INSIDER}
       order by b.id limit $4)
     order by id limit $4`,
    [userId, approves, signs, limit],
  );
}
