import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson } from '@case-platform/modules/accounts';
import type { BatchStatus } from './batch.ts';
import { SIGNATURES_NEEDED } from './sign-file.ts';
import { findBlocked } from './why-blocked.ts';

export interface WaitingBatch {
  id: number;
  /** A `draft` waits for approval; the file of a `generated` batch waits for a signature. A blocked one can be `approved`, too. */
  status: Extract<BatchStatus, 'draft' | 'approved' | 'generated'>;
  entry_count: number;
  total_cents: number;
  created_at: Date;
  /** True while it cannot be sent (BATCH-10). */
  is_blocked: boolean;
}

/** Open batches that are checked for what blocks them; more than a payments team has at once. */
const OPEN_MAX = 100;

/**
 * The batches that this person can take a step further, oldest first: drafts to approve that they neither made nor have a part
 * in, files to sign that still need a signature and do not have theirs, and all blocked batches. Everyone who approves or signs
 * sees these, also the maker (BATCH-10).
 */
export async function listWaitingBatches(
  db: Executor,
  userId: number,
  { approves, signs, limit, now }: { approves: boolean; signs: boolean; limit: number; now: Date },
): Promise<WaitingBatch[]> {
  // Several records of the same human count as one person, as in the commands.
  const isSecondTo = (others: Sql) => canBeSecondPerson(userId, sql`(${others} || batch_insiders(b.id))`);
  const columns = sql`b.id, b.status, b.entry_count, b.total_cents, b.created_at, b.same_day,
    b.effective_date::text as effective_date`;
  const signers = sql`array(select s.user_id from batch_signature s where s.batch_id = b.id and s.file_sha256 = b.file_sha256)`;
  const open = await query<
    Omit<WaitingBatch, 'is_blocked'> & { waits: boolean; same_day: boolean; effective_date: string | null }
  >(
    db,
    sql`select ${columns}, bool_or(waits) as waits from (
          (select b.id as batch_id, true as waits from banking_batch b
            where ${approves} and b.status = 'draft' and ${isSecondTo(sql`array[b.created_by]`)}
            order by b.id ${limitTo(OPEN_MAX)})
          union all
          (select b.id, true from banking_batch b
            where ${signs} and b.status = 'generated' and cardinality(${signers}) < ${SIGNATURES_NEEDED} and ${isSecondTo(signers)}
            order by b.id ${limitTo(OPEN_MAX)})
          union all
          (select b.id, false from banking_batch b
            where b.status in ('draft', 'approved', 'generated') order by b.id ${limitTo(OPEN_MAX)})
        ) listed join banking_batch b on b.id = listed.batch_id group by b.id order by b.id`,
  );
  const blockages = await findBlocked(db, open, now);
  return open
    .filter(({ id, waits }) => waits || blockages.has(id))
    .slice(0, limit)
    .map(({ id, status, entry_count, total_cents, created_at }) => {
      return { id, status, entry_count, total_cents, created_at, is_blocked: blockages.has(id) };
    });
}
