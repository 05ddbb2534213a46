import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { DisbursementContext } from './create-disbursement.ts';
import { parseReason } from './disbursement-fields.ts';
import { lockPayeeOf } from './disbursement-version.ts';
import { lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requireGuards } from './require-guards.ts';

/**
 * Ends a returned request that will not be paid again (WHERE-5). Its money has been available to the case since the return, so
 * nothing is posted. It can be done on a closed case as well.
 * @param ending.version the version that the caller saw, if any.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone except an admin with `edit_drs` who sees the case.
 * @throws {InvalidInputError} without a reason. @throws {ConflictError} `wrong_state`.
 * @throws {ChangedError} for a version that is not the current one.
 */
export async function endDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { version, reason }: { version?: string | undefined; reason: string },
  by: ChangedByUser,
): Promise<void> {
  const end_reason = parseReason(reason);
  await db.transaction(async (tx) => {
    await lockPayeeOf(tx, id);
    const request = await lockDisbursement(tx, by.actor, id);
    await requireGuards(tx, 'end', { request, by, now: now(), version });
    await moveDisbursement(tx, request, 'end', { changes: { end_reason }, by, now: now(), note: { reason: end_reason } });
  });
}
