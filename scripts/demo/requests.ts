import { batchAfter } from './bank-files.ts';
import { CASE_PLANS, type CasePlan, WITHOUT_ACCOUNT } from './case-plans.ts';
import { DECIDED_AFTER, type DemoRequest, type RequestEnd } from './demo-request.ts';
import { calendarOf, type Expense, expensesOf, type PlannedPayment } from './journey.ts';
import { SPECIAL_REQUESTS } from './special-requests.ts';

/** Days before the due date on which a payment is requested, so that it is paid in time. */
const REQUESTED_BEFORE = 8;
/** Parents take a day or two to decide. */
const UNDECIDED_BEFORE = 2;

/** All requests of the demo, oldest first. */
export function listRequests(calendars: readonly PlannedPayment[][]): DemoRequest[] {
  const usual = CASE_PLANS.flatMap((plan, at) => [
    ...(calendars[at] ?? []).flatMap((payment) => requestPayment(plan, at + 1, payment)),
    ...expensesOf(plan, at + 1).map((expense) => requestExpense(plan, at + 1, expense)),
  ]);
  return [...usual, ...SPECIAL_REQUESTS].sort((a, b) => b.written - a.written);
}

/** The calendars of all cases, in order. */
export function listCalendars(): PlannedPayment[][] {
  return CASE_PLANS.map((plan, at) => calendarOf(plan, at + 1));
}

/** The request for a scheduled payment, written by the case manager if there is one; empty until the payment is nearly due. */
function requestPayment(plan: CasePlan, of: number, payment: PlannedPayment): DemoRequest[] {
  const { day, ...what } = payment;
  const written = plan.opened - day + REQUESTED_BEFORE + ((of * 3) % 7) / 10;
  if (written < 0.2 || plan.surrogate === null || plan.status === 'pending_funding') return [];
  const by = plan.manager ?? plan.surrogate;
  return [{ of, ...what, ...peopleOf(plan), by, written, end: endOf(written, plan.surrogate), pays: payment }];
}

function requestExpense(plan: CasePlan, of: number, { day, receipt, ...what }: Expense): DemoRequest {
  const written = plan.opened - day + ((of * 3) % 7) / 10;
  const shown = receipt ? { receipt: what.category === 'Medical' ? ('bill' as const) : ('picture' as const) } : {};
  return {
    of,
    ...what,
    ...peopleOf(plan),
    by: plan.surrogate ?? '',
    written,
    end: endOf(written, plan.surrogate),
    ...shown,
  };
}

function peopleOf({ surrogate, approver, parents }: CasePlan): Pick<DemoRequest, 'payee' | 'approver'> {
  return { payee: surrogate ?? '', approver: approver ?? parents[0] };
}

/** A request is in the first file after its decision. One that was not decided yet waits. */
function endOf(written: number, payee: string | null): RequestEnd {
  if (written < UNDECIDED_BEFORE) return 'submitted';
  const batch = batchAfter(written - DECIDED_AFTER);
  if (batch === null || WITHOUT_ACCOUNT.includes(payee ?? '')) return 'approved';
  return batch.state === 'settled' ? 'paid' : 'batched';
}
