import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { UNDO_APPROVAL_SECONDS } from '@case-platform/words/limits';
import type { LockedDisbursement } from '../lock-disbursement.ts';

const GRACE_SECONDS = 5;

/** The facts that are stored with an undoable approval. */
export interface ApprovalUndo {
  /** The time until which the approval can be undone, and after which it is announced; ISO 8601. */
  until: string;
  /** The account that the request was approved for before, if any. */
  account_before: number | null;
}

/**
 * Prepares the undo of an approval that is about to be given (REQUEST-19).
 * @returns null if the request was approved for another account before, because that approval was confirmed by the person.
 */
export async function prepareUndo(
  tx: Transaction,
  { id }: { id: number },
  accountId: number | null,
  now: Date,
): Promise<ApprovalUndo | null> {
  const [request] = await query<{ account_before: number | null }>(
    tx,
    sql`select approved_account_id as account_before from disbursement_request where id = ${id}`,
  );
  const account_before = request?.account_before ?? null;
  if (account_before !== null && account_before !== accountId) return null;
  const until = new Date(now.getTime() + (UNDO_APPROVAL_SECONDS + GRACE_SECONDS) * 1000);
  return { until: until.toISOString(), account_before };
}

/**
 * Requires an approval that this person gave and may still undo (REQUEST-19).
 * @throws {ForbiddenError} `not_yours`. @throws {ConflictError} `too_late`.
 */
export async function requireUndo(
  tx: Transaction,
  { id, approver_id }: LockedDisbursement,
  { id: actorId }: User,
  now: Date,
): Promise<ApprovalUndo> {
  if (approver_id !== actorId) throw new ForbiddenError('Only the person who approved this can undo it.', 'not_yours');
  const [request] = await query<{ approval_undo: ApprovalUndo | null }>(
    tx,
    sql`select approval_undo from disbursement_request where id = ${id}`,
  );
  const undo = request?.approval_undo ?? null;
  if (undo === null || new Date(undo.until) < now)
    throw new ConflictError('It’s too late to undo this approval. Ask the escrow specialist to stop the payment.', 'too_late');
  return undo;
}
