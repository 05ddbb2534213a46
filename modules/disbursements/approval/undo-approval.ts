import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { DisbursementContext } from '../create-disbursement.ts';
import { lockPayeeOf } from '../disbursement-version.ts';
import { lockDisbursement } from '../lock-disbursement.ts';
import { moveDisbursement } from '../move-disbursement.ts';
import { requireGuards } from '../require-guards.ts';
import { findApprover } from '../submit-disbursement.ts';
import { requireUndo } from './require-undo.ts';

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
    const request = await lockDisbursement(tx, by.actor, id);
    await requireGuards(tx, 'undo_approval', { request, by, now: now() });
    const { account_before } = await requireUndo(tx, request, by.actor, now());
    const approver_id = await findApprover(tx, request);
    const undecided = { decided_at: null, decision_reason: null, approval_undo: null };
    const changes = { ...undecided, approver_id, approved_account_id: account_before };
    await moveDisbursement(tx, request, 'undo_approval', { changes, by, now: now(), note: { approver_id } });
    // It has waited for its approver since it was submitted.
    await query(tx, sql`update disbursement_request set status_since = submitted_at where id = ${id}`);
  });
}
