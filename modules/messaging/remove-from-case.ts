import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { removeParticipant } from '@case-platform/modules/cases';
import { leaveChainsOfCase } from './leave-chains.ts';

/**
 * Takes somebody off a case, and with it out of all of its chains. What waits for their approval is handed on by
 * `leaveCase` of the module `disbursements`, in whose transaction this happens.
 * @returns how many chains they have left. @throws {NotFoundError} for somebody who is not on the case.
 */
export async function removeFromCase(tx: Transaction, caseId: number, userId: number, by: ChangedBy): Promise<number> {
  await removeParticipant(tx, caseId, userId, by);
  return leaveChainsOfCase(tx, caseId, userId);
}
