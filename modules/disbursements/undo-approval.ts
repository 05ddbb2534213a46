import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser, User } from '@case-platform/modules/accounts';
import { postLedger } from '@case-platform/modules/ledger';
import { UNDO_APPROVAL_SECONDS } from '@case-platform/words/limits';
import type { DisbursementContext } from './create-disbursement.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { findApprover } from './submit-disbursement.ts';

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
 * Takes back an approval that was given as undoable a few seconds ago, and releases its money (REQUEST-19). The people who would
 * have been notified have not been notified yet, and the request waits for its approver as before.
 * @throws {NotFoundError} @throws {ForbiddenError} `not_yours` for anyone except the person who approved it.
 * @throws {ConflictError} `wrong_state`, for example in a batch; `too_late`.
 */
export async function undoApproval({ db, now }: DisbursementContext, id: number, by: ChangedByUser): Promise<void> {
  await db.transaction(async (tx) => {
    // The next approver must not be someone who set the payee's account, so the account must not change meanwhile.
    await lockPayeeOf(tx, id);
    const locked = await lockDisbursement(tx, by.actor, id);
    nextStatus('undo_approval', locked.status);
    const { account_before } = await requireUndo(tx, locked, by.actor, now());
    const approver_id = await findApprover(tx, locked);
    const undecided = { decided_at: null, decision_reason: null, approval_undo: null };
    const changes = { ...undecided, approver_id, approved_account_id: account_before };
    await moveDisbursement(tx, locked, 'undo_approval', { changes, by, note: { approver_id } });
    // It has waited for its approver since it was submitted.
    await query(tx, sql`update disbursement_request set status_since = submitted_at where id = ${id}`);
    const { case_id, amount_cents, category: memo } = locked;
    await postLedger(tx, { kind: 'release', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
  });
}

async function requireUndo(
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
