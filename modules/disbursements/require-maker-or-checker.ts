import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { requireSecondPerson, type User } from '@case-platform/modules/accounts';
import type { LockedDisbursement, Standing } from './lock-disbursement.ts';

/**
 * Requires a user who may change a request: whoever wrote or sent it while they see its case, or staff with `edit_drs` on the
 * case.
 * @throws {ForbiddenError}
 */
export function requireMaker(locked: LockedDisbursement & Standing, { id }: User): void {
  const isMaker = locked.sees_case && (locked.created_by === id || locked.submitted_by === id);
  if (!isMaker && !(locked.sees_case && locked.permissions.has('edit_drs'))) {
    throw new ForbiddenError('Only the person who wrote this request can do this.');
  }
}

/**
 * Requires a user who may decide about a request: its designated approver, or staff with `approve_drs` on the case, and no one
 * who has a part in it (REQUEST-5).
 * @throws {ForbiddenError} `same_person` for a person who has a part in it; `address_moved` for a person whose address someone
 * else
 *   has changed.
 */
export async function requireChecker(
  tx: Transaction,
  locked: LockedDisbursement & Standing,
  actor: User,
): Promise<void> {
  await requireSecondPerson(tx, actor, locked.makers, 'You’re part of this request, so someone else has to decide it.');
  // People who are not staff see a request only through its case.
  const isDesignated = actor.user_type !== 'admin' && locked.approver_id === actor.id;
  if (!isDesignated && !(locked.sees_case && locked.permissions.has('approve_drs'))) {
    throw new ForbiddenError('Someone else decides this request.');
  }
}
