import { waitingWithoutDay } from '@case-platform/words/disbursement-states';
import type { Disbursement, SeenDisbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

type Reader = Pick<Me, 'id'>;

/** Whether the disbursement says what it is about; to staff, somebody else's draft does not. */
export function isReadable(disbursement: SeenDisbursement): disbursement is Disbursement {
  return disbursement.payee !== null;
}

/** Whether this person submitted the disbursement. */
export function isMaker({ submitted_by }: Pick<Disbursement, 'submitted_by'>, { id }: Reader): boolean {
  return submitted_by.user_id === id;
}

/** Whether this person has to decide about the disbursement. */
export function waitsForMe({ status, approver }: Pick<Disbursement, 'status' | 'approver'>, { id }: Reader): boolean {
  return status === 'submitted' && approver?.user_id === id;
}

/**
 * Whether somebody may be offered to decide: the approver, and the platform's own staff, whose permissions only the API
 * knows. Nobody decides about a disbursement of their own.
 */
export function mayDecide(disbursement: Disbursement, me: Me): boolean {
  return (
    waitsForMe(disbursement, me) ||
    (disbursement.status === 'submitted' && me.userType === 'admin' && !isMaker(disbursement, me))
  );
}

/** 'Where is my money' without its day, which is shown in the reader's own time zone; null at a disbursement's end. */
export function whereIs(disbursement: Disbursement, me: Reader): string | null {
  if (disbursement.waiting_for === null) return null;
  if (waitsForMe(disbursement, me)) return 'Waiting for you to decide';
  if (disbursement.status === 'draft' && isMaker(disbursement, me)) return 'Waiting for you to send it';
  if (disbursement.return?.who_acts === 'payee' && disbursement.payee.user_id === me.id) return 'Waiting for you';
  return waitingWithoutDay(disbursement.waiting_for);
}
