import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Executor } from '@case-platform/lib/database';
import { ChangedError, ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { requireSecondPerson } from '@case-platform/modules/accounts';
import { lockBanking } from '../banking-lock.ts';

/** The states of a batch (BATCH-1; db/migrations/0001_baseline.sql explains `outcome_unknown`). */
export const BATCH_STATUSES = [
  'draft',
  'approved',
  'generated',
  'outcome_unknown',
  'transmitted',
  'settled',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export interface LockedBatch {
  id: number;
  status: BatchStatus;
  created_by: number;
  handed_out_by: number | null;
  same_day: boolean;
  /** YYYY-MM-DD, or null before there is a file. */
  effective_date: string | null;
  /** Hexadecimal. */
  file_sha256: string | null;
  total_cents: number;
}

const WORDS: Record<BatchStatus, string> = {
  draft: 'still a draft',
  approved: 'approved, but its file isn’t made yet',
  generated: 'waiting to be sent to the bank',
  outcome_unknown: 'downloaded, but not confirmed with the bank',
  transmitted: 'at the bank',
  settled: 'paid',
  cancelled: 'cancelled',
};

/**
 * Locks banking, and a batch in one of these states, for the rest of the transaction.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_state`.
 */
export async function lockBatch(tx: Executor, batchId: number, statuses: readonly BatchStatus[]): Promise<LockedBatch> {
  await lockBanking(tx);
  const [batch] = await query<LockedBatch>(
    tx,
    sql`select id, status, created_by, handed_out_by, same_day, effective_date::text as effective_date,
               encode(file_sha256, 'hex') as file_sha256, total_cents
          from banking_batch where id = ${batchId} for update`,
  );
  if (batch === undefined) throw new NotFoundError();
  if (!statuses.includes(batch.status))
    throw new ConflictError(`This batch is ${WORDS[batch.status]}, so you can’t do this now.`, 'wrong_state');
  return batch;
}

/** The maker of a batch takes none of its later steps (BATCH-3). @throws {ForbiddenError} `same_person`. */
export function requireNotMaker(
  tx: Executor,
  batch: Pick<LockedBatch, 'created_by'>,
  { actor }: ChangedBy,
  what: string,
): Promise<void> {
  return requireSecondPerson(tx, actor, [batch.created_by], `You made this batch, so someone else has to ${what}.`);
}

/**
 * A payee of a batch, and someone who set an account that it pays, can neither approve, sign, nor release it (BATCH-3).
 * @throws {ForbiddenError} `same_person`.
 */
export function requireUninvolved(tx: Executor, { id }: LockedBatch, { actor }: ChangedBy, what: string): Promise<void> {
  const words = `This batch pays an account that’s yours or that you entered, so someone else has to ${what}.`;
  return requireSecondPerson(tx, actor, sql`batch_insiders(${id})`, words);
}

/**
 * An SQL expression for the SHA-256 of the payments of a batch `b`, which approving and settling name (BATCH-4). It leaves out
 * payments that came back before the batch was settled.
 */
export const BATCH_LIST_SHA256 = sql`encode(sha256(convert_to(jsonb_build_array(b.id, b.same_day,
  (select jsonb_agg(jsonb_build_array(e.disbursement_id, e.amount_cents, e.bank_account_id) order by e.disbursement_id)
     from banking_batch_entry e where e.batch_id = b.id and e.released_at is null and e.returned_at is null))::text, 'UTF8')), 'hex')`;

/** A decision names the list that was seen (BATCH-4). @throws {ChangedError} for any other list than the current one. */
export async function requireSeenList(tx: Executor, { id }: LockedBatch, sha256: string): Promise<void> {
  const [now] = await query<{ sha256: string }>(
    tx,
    sql`select ${BATCH_LIST_SHA256} as sha256 from banking_batch b where b.id = ${id}`,
  );
  if (now?.sha256 !== sha256.toLowerCase())
    throw new ChangedError('This batch changed after you opened it. Check its payments again.');
}

interface Move {
  to: BatchStatus;
  by: ChangedBy;
  /** Shown to people in the history of the batch. */
  note?: string;
  /** Added to the state in the audit log. */
  after?: Record<string, unknown>;
  action: string;
}

/** Sets a batch's state, and records it in the history of the batch and in the audit log. */
export async function moveBatch(
  tx: Executor,
  batch: Pick<LockedBatch, 'id'> & { status: BatchStatus | null },
  { to, by, note = '', after = {}, action }: Move,
): Promise<void> {
  await query(tx, sql`update banking_batch set status = ${to} where id = ${batch.id}`);
  await query(
    tx,
    sql`insert into banking_batch_step (batch_id, status, user_id, note, created_at)
        values (${batch.id}, ${to}, ${by.actor?.id ?? null}, ${note}, coalesce(${by.origin.happened_at ?? null}::timestamptz, now()))`,
  );
  await recordAudit(tx, {
    ...by,
    action: `banking_batch.${action}`,
    subject_id: batch.id,
    subject_label: `Batch ${batch.id}`,
    before: batch.status === null ? null : { status: batch.status },
    after: { status: to, ...after },
  });
}
