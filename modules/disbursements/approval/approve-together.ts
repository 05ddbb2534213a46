import { DomainError } from '@case-platform/lib/errors';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { DisbursementContext } from '../create-disbursement.ts';
import { approveDisbursement } from './approve-disbursement.ts';

/** A request as its approver saw it, with the version of the payee's account. */
export interface SeenForAccount {
  id: number;
  version: string;
  account_seen: string;
}

/**
 * Approves requests that are within their contract limits, each in its own transaction, for the account that was seen (BANK-9).
 * One that is refused does not stop the others.
 * @returns the ids of those that were approved, and for the others the reason in words for people.
 */
export async function approveTogether(
  context: DisbursementContext,
  seen: readonly SeenForAccount[],
  by: ChangedByUser,
): Promise<{ approved: number[]; refused: { id: number; why: string }[] }> {
  const approvedIds: number[] = [];
  const refused: { id: number; why: string }[] = [];
  for (const { id, ...request } of seen) {
    try {
      await approveDisbursement(context, id, { ...request, over_by_cents: 0 }, by);
      approvedIds.push(id);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refused.push({ id, why: error.message });
    }
  }
  return { approved: approvedIds, refused };
}
