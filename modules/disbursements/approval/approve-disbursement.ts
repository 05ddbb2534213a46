import type { Transaction } from '@case-platform/lib/database';
import { ChangedError } from '@case-platform/lib/errors';
import { isBlank } from '@case-platform/lib/text/human-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { DisbursementContext } from '../create-disbursement.ts';
import { parseReason } from '../disbursement-fields.ts';
import { findPayeeAccountId, lockPayeeOf } from '../disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement, type Standing } from '../lock-disbursement.ts';
import { moveDisbursement } from '../move-disbursement.ts';
import { requireGuards } from '../require-guards.ts';
import { prepareUndo } from './require-undo.ts';

export interface SeenDisbursement {
  /** From the page or API response that they saw. */
  version: string;
}

/** Above the contract limit it needs a reason (CONTRACT-4). */
export interface Approval extends SeenDisbursement {
  reason?: string | undefined;
  /** The excess over the contract limit that the person saw. */
  over_by_cents?: number | undefined;
  /** The version of the payee's account, required if the request was approved for another one before (BANK-9). */
  account_seen?: string | undefined;
  /** Lets the person undo it for a few seconds, and announces it after that (REQUEST-19). */
  undoable?: boolean | undefined;
}

/**
 * Approves a request and reserves its money (FUNDS-1). Of several approvals at once one succeeds (REQUEST-6). The surrogate and
 * the parents are notified.
 * @throws {NotFoundError} @throws {ForbiddenError} for a person with a part in the request, and for anyone who may not decide
 * about it.
 * @throws {ChangedError} for a version that is not the current one, and if it exceeds its contract limit by more than was seen.
 * @throws {InvalidInputError} `reason`, if it exceeds its contract limit and no reason is given.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `insufficient_funds`, `payee_left`, `payee_not_payable`,
 * `account_changed`.
 */
export async function approveDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  approval: Approval,
  by: ChangedByUser,
): Promise<void> {
  const { reason = '' } = approval;
  const decision_reason = isBlank(reason) ? null : parseReason(reason);
  await db.transaction(async (tx) => {
    const request = await lockToDecide(tx, id, by);
    const note = await requireGuards(tx, 'approve', { ...approval, request, by, now: now() });
    const approved_account_id = await findPayeeAccountId(tx, request.payee_id);
    const isUndoable = approval.undoable === true && !('over_by_cents' in note);
    const undo = isUndoable ? await prepareUndo(tx, request, approved_account_id, now()) : null;
    const approval_undo = undo && JSON.stringify(undo);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason, approved_account_id, approval_undo };
    const reasonNote = decision_reason === null ? {} : { reason: decision_reason };
    await moveDisbursement(tx, request, 'approve', {
      changes,
      by,
      now: now(),
      note: { ...reasonNote, ...note },
      announceAt: undo === null ? undefined : new Date(undo.until),
    });
  });
}

/**
 * Denies a request with a reason (REQUEST-7). Its submitter and the escrow specialist are notified (EMAIL-6).
 * @throws {InvalidInputError} without a reason. @throws as `approveDisbursement`.
 */
export async function denyDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { reason, ...seen }: SeenDisbursement & { reason: string },
  by: ChangedByUser,
): Promise<void> {
  const decision_reason = parseReason(reason);
  await db.transaction(async (tx) => {
    const request = await lockToDecide(tx, id, by);
    await requireGuards(tx, 'deny', { ...seen, request, by, now: now() });
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    await moveDisbursement(tx, request, 'deny', { changes, by, now: now(), note: { reason: decision_reason } });
  });
}

/** Locks the payee's account and the request for a decision. @throws {ChangedError} if it pays someone else meanwhile. */
async function lockToDecide(tx: Transaction, id: number, { actor }: ChangedByUser): Promise<LockedDisbursement & Standing> {
  const payeeId = await lockPayeeOf(tx, id);
  const request = await lockDisbursement(tx, actor, id);
  // The payee changed after their account was locked, so the seen version is outdated too.
  if (request.payee_id !== payeeId) throw new ChangedError('This request pays someone else now. Check it again, then decide.');
  return request;
}

/**
 * Cancels a request that no one has decided about. Staff can cancel a draft without reading it, because its maker may have left
 * the case and it may claim a scheduled payment (docs/records/drafts.md).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not change it. @throws {ConflictError} `wrong_state`.
 */
export async function cancelDisbursement({ db, now }: DisbursementContext, id: number, by: ChangedByUser): Promise<void> {
  await db.transaction(async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id, { unread: true });
    await requireGuards(tx, 'cancel', { request, by, now: now() });
    await moveDisbursement(tx, request, 'cancel', { by, now: now() });
  });
}
