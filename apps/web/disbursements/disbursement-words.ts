import type { Disbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

type Reader = Pick<Me, 'id'>;

/** Whether somebody has written this request, as far as they are known. */
export function isMaker({ submitted_by }: Pick<Disbursement, 'submitted_by'>, { id }: Reader): boolean {
  return submitted_by.user_id === id;
}

/** Whether a request waits for this person to decide. */
export function waitsForMe({ status, approver }: Pick<Disbursement, 'status' | 'approver'>, { id }: Reader): boolean {
  return status === 'submitted' && approver?.user_id === id;
}

/**
 * Whether somebody may be offered to decide: the approver, and the platform's own staff, whose permissions only the API
 * knows. Nobody decides about a request of their own.
 */
export function mayDecide(request: Disbursement, me: Me): boolean {
  return (
    waitsForMe(request, me) || (request.status === 'submitted' && me.userType === 'admin' && !isMaker(request, me))
  );
}

/** 'Where is my money' without its day, which is shown in the reader's own time zone; null at a request's end. */
export function whereIs(request: Disbursement, me: Reader): string | null {
  if (request.waiting_for === null) return null;
  if (waitsForMe(request, me)) return 'Waiting for you to decide';
  if (request.status === 'draft' && isMaker(request, me)) return 'Waiting for you to send it';
  const end = request.waiting_for.lastIndexOf(', since ');
  return end < 0 ? request.waiting_for : request.waiting_for.slice(0, end);
}
