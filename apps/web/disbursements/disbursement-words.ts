import { waitingWithoutDay } from '@case-platform/words/disbursement-states';
import type { Disbursement, SeenDisbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

type Reader = Pick<Me, 'id'>;

/** False for another person's draft, whose content staff do not get (DRAFT-1). */
export function isReadable(disbursement: SeenDisbursement): disbursement is Disbursement {
  return disbursement.payee !== null;
}

export function isMaker({ submitted_by }: Pick<Disbursement, 'submitted_by'>, { id }: Reader): boolean {
  return submitted_by.user_id === id;
}

export function isWaitingForMe({ status, approver }: Pick<Disbursement, 'status' | 'approver'>, { id }: Reader): boolean {
  return status === 'submitted' && approver?.user_id === id;
}

/**
 * True for the approver, and for staff, whose permissions only the API knows. The maker is never offered the decision
 * (REQUEST-5).
 */
export function canDecide(disbursement: Disbursement, me: Me): boolean {
  return (
    isWaitingForMe(disbursement, me) ||
    (disbursement.status === 'submitted' && me.userType === 'admin' && !isMaker(disbursement, me))
  );
}

/**
 * The step that the arrival day depends on, and its deadline, such as "you approve it by 2 PM in New York on November 27, 2026";
 * null if nothing has to happen first.
 */
export function conditionWords({ whereabouts, approver, payee }: Disbursement, me: Reader): string | null {
  let words = whereabouts.arrives?.if ?? null;
  if (approver?.user_id === me.id) words = words?.replace(`${approver.name} approves`, 'you approve') ?? null;
  if (payee.user_id === me.id) words = words?.replace(`${payee.name} adds`, 'you add') ?? null;
  return words;
}

/** The state of the money without its day, which the page adds in the reader's time zone; null once the request has ended. */
export function progressWords(disbursement: Disbursement, me: Reader): string | null {
  if (disbursement.waiting_for === null) return null;
  if (isWaitingForMe(disbursement, me)) return 'Waiting for you to decide';
  const again = disbursement.whereabouts.state === 'send_again' ? ' again' : '';
  if (disbursement.status === 'draft' && isMaker(disbursement, me)) return `Waiting for you to send it${again}`;
  if (disbursement.return?.who_acts === 'payee' && disbursement.payee.user_id === me.id) return 'Waiting for you';
  return waitingWithoutDay(disbursement.waiting_for);
}
