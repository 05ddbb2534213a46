import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { removeParticipant } from '@case-platform/modules/cases';
import { leaveChainsOfCase } from './leave-chains.ts';

/**
 * Removes someone from a case and from all of its chains. It runs in the transaction of `leaveCase` in the module
 * `disbursements`, which also passes on requests that wait for their approval.
 * @returns the number of chains they left. @throws {NotFoundError} for someone who is not on the case.
 */
export async function removeFromCase(tx: Transaction, caseId: number, userId: number, by: ChangedBy): Promise<number> {
  await removeParticipant(tx, caseId, userId, by);
  return leaveChainsOfCase(tx, caseId, userId);
}
