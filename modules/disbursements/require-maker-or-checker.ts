import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { requireSecondPerson, type User } from '@case-platform/modules/accounts';
import type { LockedDisbursement, Standing } from './lock-disbursement.ts';

/**
 * Requires a user who may change a request: its creator or submitter, or staff with `edit_drs`, all of them only while they see
 * its case (REQUEST-4).
 * @throws {ForbiddenError}
 */
export function requireMaker(request: LockedDisbursement & Standing, { id }: User): void {
  const isMaker = request.sees_case && (request.created_by === id || request.submitted_by === id);
  if (!isMaker && !(request.sees_case && request.permissions.has('edit_drs'))) {
    throw new ForbiddenError('Only the person who wrote this request can do this.');
  }
}

/**
 * Requires a user who may decide about a request: its designated approver, or staff with `approve_drs` who see the case, without
 * a part in the request (REQUEST-5, PERSON-5).
 * @throws {ForbiddenError} `same_person` for a person with a part in it; `address_moved` for an account whose address someone
 * else changed recently.
 */
export async function requireChecker(tx: Transaction, request: LockedDisbursement & Standing, actor: User): Promise<void> {
  await requireSecondPerson(tx, actor, request.makers, 'You’re part of this request, so someone else has to decide it.');
  // People who are not staff see a request only through its case, so their access was checked by the lock.
  const isDesignated = actor.user_type !== 'admin' && request.approver_id === actor.id;
  if (!isDesignated && !(request.sees_case && request.permissions.has('approve_drs'))) {
    throw new ForbiddenError('Someone else decides this request.');
  }
}

/** Requires an admin with `edit_drs` who sees the case, to pay a returned payment again or end it. @throws {ForbiddenError} */
export function requireSpecialist({ sees_case, permissions }: Standing): void {
  if (!sees_case || !permissions.has('edit_drs'))
    throw new ForbiddenError('Only the case’s escrow specialist can decide whether to pay this again.');
}
