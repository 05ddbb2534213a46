import type { Transaction } from '@case-platform/lib/database';
import { requirePayable } from '@case-platform/modules/disbursements';
import type { LockedBatch } from './batch.ts';
import { listEntryIds } from './release-entries.ts';

/**
 * Requires that a new batch could contain every payment of this one. A payee may have been deactivated, left the case, or changed
 * their account after the batch was made (PAYABLE-1).
 * @throws {ConflictError} like `requirePayable`, with what to do about it.
 */
export async function requirePayableBatch(tx: Transaction, { id, status }: LockedBatch, now: Date): Promise<void> {
  const ids = await listEntryIds(tx, id);
  const canTakeOut = status === 'draft' && ids.length > 1;
  const wayOut = canTakeOut ? 'Take it out of this batch.' : 'Cancel this batch and make a new one.';
  await requirePayable(tx, ids, { step: 'send', now, wayOut });
}
