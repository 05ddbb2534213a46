import type { Database } from '@case-platform/db';
import type { ChangedBy } from '@case-platform/lib/audit';
import { removeParticipant } from '@case-platform/modules/cases';
import { leaveChainsOfCase } from './leave-chains.ts';

/**
 * Takes somebody off a case, and with it out of all of its chains, at once.
 * @returns how many chains they have left. @throws {NotFoundError} for somebody who is not on the case.
 */
export async function removeFromCase(db: Database, caseId: number, userId: number, by: ChangedBy): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await removeParticipant(tx, caseId, userId, by);
    return leaveChainsOfCase(tx, caseId, userId);
  });
}
