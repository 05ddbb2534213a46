import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { DisbursementContext } from './create-disbursement.ts';
import { findPayeeAccountId, lockPayeeOf } from './disbursement-version.ts';
import { lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requireGuards } from './require-guards.ts';

interface Retry {
  /** The version that the caller saw, if any. */
  version?: string | undefined;
  /** Why the payment will arrive this time; required if the payee still has the account that returned it. */
  reason?: string | undefined;
}

/** Clears the columns of the returned payment, which stays in the audit log. */
const NOT_PAID = { bank_date: null, paid_at: null, returned_at: null, return_code: null };

/**
 * Pays a returned request again: reserves its money, so that it can go into the next batch (RETRY-1). The approval stays valid, and now
 * counts for the payee's current account.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone except an admin with `edit_drs` who sees the case; `same_person` if
 * the actor or the approver is paid by it, or set the account that it is paid to.
 * @throws {ChangedError} for a version that is not the current one. @throws {InvalidInputError} without a required reason.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `payee_left`, `payee_not_payable`, `account_not_changed`,
 * `insufficient_funds`, and `not_planned` or `already_requested` for its scheduled payment.
 */
export async function retryDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { version, reason }: Retry,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The lock keeps the payee's account from changing meanwhile.
    await lockPayeeOf(tx, id);
    const request = await lockDisbursement(tx, by.actor, id);
    const note = await requireGuards(tx, 'retry', { request, by, now: now(), version, reason });
    const changes = { ...NOT_PAID, approved_account_id: await findPayeeAccountId(tx, request.payee_id) };
    await moveDisbursement(tx, request, 'retry', { changes, by, now: now(), note });
  });
}
