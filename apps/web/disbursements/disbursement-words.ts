import type { Disbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

type Status = Disbursement['status'];
type Reader = Pick<Me, 'id'>;

const STATES: Record<Status, { words: string; mark: '' | 'is-waiting' | 'is-active' | 'is-done' | 'is-refused' }> = {
  draft: { words: 'Draft', mark: '' },
  submitted: { words: 'Waiting for approval', mark: 'is-waiting' },
  approved: { words: 'Approved', mark: 'is-active' },
  denied: { words: 'Denied', mark: 'is-refused' },
  batched: { words: 'At the bank', mark: 'is-active' },
  paid: { words: 'Paid', mark: 'is-done' },
  returned: { words: 'Sent back', mark: 'is-refused' },
  cancelled: { words: 'Cancelled', mark: '' },
};

/** Every state, in the order of a request's life. */
export const REQUEST_STATUSES: readonly Status[] = [
  ...(['draft', 'submitted', 'approved', 'batched', 'paid'] as const),
  ...(['denied', 'returned', 'cancelled'] as const),
];

/** The state of a request in words, and the mark that goes with it. */
export function requestState(status: Status) {
  return STATES[status];
}

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

export interface Step {
  words: string;
  state: 'done' | 'now' | 'refused' | 'ahead';
}

const LIFE = ['Draft', 'Sent', 'Approved', 'At the bank', 'Paid'] as const;
/** How many steps are behind a request in each state, and what stands instead of the next one where it ended there. */
const PLACES: Record<Status, { done: number; end?: string }> = {
  draft: { done: 0 },
  submitted: { done: 1 },
  approved: { done: 2 },
  denied: { done: 2, end: 'Denied' },
  batched: { done: 3 },
  paid: { done: 5 },
  returned: { done: 4, end: 'Sent back' },
  cancelled: { done: 1, end: 'Cancelled' },
};

/** The life of a request as steps: what is behind it, where it is, what lies ahead. */
export function requestSteps({ status, submitted_at }: Pick<Disbursement, 'status' | 'submitted_at'>): Step[] {
  const { done, end } = PLACES[status];
  const behind = status === 'cancelled' && submitted_at !== null ? 2 : done;
  if (end !== undefined) {
    const passed = LIFE.slice(0, behind).map((words): Step => ({ words, state: 'done' }));
    return [...passed, { words: end, state: 'refused' }];
  }
  return LIFE.map((words, at) => ({ words, state: at < behind ? 'done' : at === behind ? 'now' : 'ahead' }));
}
