import type { Transaction } from '@case-platform/lib/database';
import { requirePayable } from '@case-platform/modules/disbursements';
import type { LockedBatch } from './batch.ts';
import { listEntryIds } from './release-entries.ts';

/**
 * A batch goes no step further while it contains a payment that a new batch could not contain, for example because the payee was
 * deactivated, left the case, or changed their account after the batch was made.
 * @throws {ConflictError} as `requirePayable`, with what to do about it.
 */
export async function requirePayableBatch(tx: Transaction, { id, status }: LockedBatch, now: Date): Promise<void> {
  const ids = await listEntryIds(tx, id);
  const canTakeOut = status === 'draft' && ids.length > 1;
  const wayOut = canTakeOut ? 'Take it out of this batch.' : 'Cancel this batch and make a new one.';
  await requirePayable(tx, ids, { step: 'send', now, wayOut });
}
