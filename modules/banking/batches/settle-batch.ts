import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { payDisbursements } from '@case-platform/modules/disbursements';
import { fullDayWords } from '@case-platform/words/day-words';
import { type LockedBatch, lockBatch, moveBatch, refuseMaker, requireSeenList } from './batch.ts';
import { checkNote } from './decide-batch.ts';
import { isBankDay } from './effective-date.ts';
import { listEntryIds } from './release-entries.ts';

/** What somebody says who settles a batch. */
interface Settling {
  /** The list of payments that they have seen. */
  sha256: string;
  /** Why the bank paid it before the day in its file; until that day, settling is possible only on purpose (BATCH-5). */
  early: { reason: string } | null;
}

/**
 * The bank has paid a batch: its requests are paid, with their postings, their calendar lines and the notices about it.
 * @throws {NotFoundError} @throws {ForbiddenError} for whoever has made the batch. @throws {InvalidInputError} without a reason
 * before its bank date. @throws {ConflictError} `too_early`, and for a batch that is not at the bank.
 */
export async function settleBatch(
  db: Database,
  batchId: number,
  { sha256, early }: Settling,
  { by, now }: { by: ChangedBy; now: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['transmitted']);
    await refuseMaker(tx, batch, by, 'mark it as paid');
    await requireSeenList(tx, batch, sha256);
    const reason = checkDay(batch, early, now);
    await payDisbursements(tx, await listEntryIds(tx, batchId), by, now);
    await moveBatch(tx, batch, {
      ...{ to: 'settled', by, action: 'settle', note: reason ?? '' },
      after: { total_cents: batch.total_cents, ...(reason === null ? {} : { before_bank_date: true, reason }) },
    });
  });
}

/** @returns why it is settled before its bank date; null from that day on. */
function checkDay({ effective_date }: LockedBatch, early: Settling['early'], now: Date): string | null {
  const day = effective_date ?? '';
  if (isBankDay(day, now)) return null;
  if (early === null)
    throw new ConflictError(`The bank pays this batch on ${fullDayWords(day)}. Mark it as paid then.`, 'too_early');
  return checkNote('reason', early.reason);
}
