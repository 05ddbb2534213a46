import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson } from '@case-platform/modules/accounts';
import type { BatchStatus } from './batch.ts';
import { SIGNATURES_NEEDED } from './sign-file.ts';

export interface WaitingBatch {
  id: number;
  /** A `draft` waits for approval; the file of a `generated` batch waits for a signature. */
  status: Extract<BatchStatus, 'draft' | 'generated'>;
  entry_count: number;
  total_cents: number;
  created_at: Date;
}

/**
 * The batches that this person can take a step further, oldest first: drafts to approve that they neither made nor have a part
 * in, and files to sign that still need a signature and do not have theirs.
 */
export async function listWaitingBatches(
  db: Executor,
  userId: number,
  { approves, signs, limit }: { approves: boolean; signs: boolean; limit: number },
): Promise<WaitingBatch[]> {
  // Several records of the same human count as one person, as in the commands.
  const isSecondTo = (others: Sql) => canBeSecondPerson(userId, sql`(${others} || batch_insiders(b.id))`);
  return query<WaitingBatch>(
    db,
    sql`(select b.id, b.status, b.entry_count, b.total_cents, b.created_at from banking_batch b
          where ${approves} and b.status = 'draft' and ${isSecondTo(sql`array[b.created_by]`)}
          order by b.id limit ${limit})
        union all
        (select b.id, b.status, b.entry_count, b.total_cents, b.created_at from banking_batch b
          where ${signs} and b.status = 'generated'
            and (select count(*) from batch_signature s where s.batch_id = b.id) < ${SIGNATURES_NEEDED}
            and ${isSecondTo(sql`array(select s.user_id from batch_signature s where s.batch_id = b.id)`)}
          order by b.id limit ${limit})
        order by id limit ${limit}`,
  );
}
