import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { payDisbursements } from '@case-platform/modules/disbursements';
import { fullDayWords } from '@case-platform/words/day-words';
import { type LockedBatch, lockBatch, moveBatch, requireNotMaker, requireSeenList } from './batch.ts';
import { parseNote } from './decide-batch.ts';
import { isBankDay } from './effective-date.ts';
import { listEntryIds } from './release-entries.ts';

interface Settling {
  /** The SHA-256 of the list of payments that the person saw. */
  sha256: string;
  /** The reason why the bank paid before the day in the file; before that day, settling needs one (BATCH-5). */
  early: { reason: string } | null;
}

/**
 * Records that the bank paid a batch: its requests become paid, with their postings, calendar lines, and notifications.
 * @throws {NotFoundError} @throws {ForbiddenError} for the batch's maker.
 * @throws {InvalidInputError} without a reason before the bank date.
 * @throws {ConflictError} `too_early`, and when the batch is not at the bank.
 * @throws {ChangedError} for another list.
 */
export async function settleBatch(
  db: Database,
  batchId: number,
  { sha256, early }: Settling,
  by: ChangedBy,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['transmitted']);
    await requireNotMaker(tx, batch, by, 'mark it as paid');
    await requireSeenList(tx, batch, sha256);
    const reason = parseEarlyReason(batch, early, now);
    await payDisbursements(tx, await listEntryIds(tx, batchId), by, now);
    await moveBatch(tx, batch, {
      to: 'settled',
      by,
      action: 'settle',
      note: reason ?? '',
      after: { total_cents: batch.total_cents, ...(reason === null ? {} : { before_bank_date: true, reason }) },
    });
  });
}

/** @returns the reason for settling before the bank date, or null from that date on. */
function parseEarlyReason({ effective_date }: LockedBatch, early: Settling['early'], now: Date): string | null {
  const day = effective_date ?? '';
  if (isBankDay(day, now)) return null;
  if (early === null)
    throw new ConflictError(`The bank pays this batch on ${fullDayWords(day)}. Mark it as paid then.`, 'too_early');
  return parseNote('reason', early.reason);
}
