import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { listNotPayable, type NotPayable, requirePayable } from '@case-platform/modules/disbursements';
import { fullDayWords } from '@case-platform/words/day-words';
import type { BatchStatus } from './batch.ts';
import { canStillSettle } from './effective-date.ts';
import { listEntryIds } from './release-entries.ts';

/** The states of a batch that the bank does not have. Only these can be blocked. */
const BEFORE_THE_BANK: readonly BatchStatus[] = ['draft', 'approved', 'generated'];

export function isBeforeTheBank({ status }: { status: BatchStatus }): boolean {
  return BEFORE_THE_BANK.includes(status);
}

interface CheckedBatch {
  id: number;
  status: BatchStatus;
  same_day: boolean;
  /** YYYY-MM-DD; null before there is a file. */
  effective_date: string | null;
}

/** The reasons why a batch cannot be sent (BATCH-10). */
export interface Blockage {
  /** The payments that cannot be made. */
  payments: NotPayable[];
  /** True if the day of its file has come, which is too late for the bank. */
  is_late: boolean;
}

/**
 * Finds the blocked ones among these batches, by id. A batch is blocked while a payment in it cannot be made or its file is too
 * late; this follows from the payees and the clock, and is stored nowhere.
 */
export async function findBlocked(db: Executor, batches: readonly CheckedBatch[], now: Date): Promise<Map<number, Blockage>> {
  const open = batches.filter(isBeforeTheBank);
  if (open.length === 0) return new Map();
  const entries = await query<{ batch_id: number; disbursement_id: number }>(
    db,
    sql`select batch_id, disbursement_id from banking_batch_entry
         where batch_id = any(${open.map(({ id }) => id)}::bigint[]) and released_at is null and returned_at is null`,
  );
  const ids = entries.map(({ disbursement_id }) => disbursement_id);
  const batchOf = new Map(entries.map(({ batch_id, disbursement_id }) => [disbursement_id, batch_id]));
  const blockages = new Map<number, Blockage>();
  for (const batch of open) if (isLate(batch, now)) blockages.set(batch.id, { payments: [], is_late: true });
  for (const problem of await listNotPayable(db, ids, 'send', now)) {
    const id = batchOf.get(problem.disbursement_id) ?? 0;
    const blockage = blockages.get(id) ?? { payments: [], is_late: false };
    blockage.payments.push(problem);
    blockages.set(id, blockage);
  }
  return blockages;
}

function isLate({ same_day, effective_date }: CheckedBatch, now: Date): boolean {
  return effective_date !== null && !canStillSettle(effective_date, same_day, now);
}

/**
 * Requires that a batch is not blocked. A payee may have been deactivated, left the case, or changed their account after the
 * batch was made, or the day of its file may have come (BATCH-10, PAYABLE-1).
 * @throws {ConflictError} `too_late`, or like `requirePayable`, with what to do about it.
 */
export async function requireSendableBatch(tx: Transaction, batch: CheckedBatch, now: Date): Promise<void> {
  await requirePayable(tx, await listEntryIds(tx, batch.id), { step: 'send', now, wayOut: 'Remove what can’t be sent first.' });
  if (!isLate(batch, now)) return;
  const day = fullDayWords(batch.effective_date ?? '');
  throw new ConflictError(`It’s too late to pay this file on ${day}. Make the file again first.`, 'too_late');
}
