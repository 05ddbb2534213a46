import { type Html, html } from '@case-platform/lib/html';
import type { Projection } from '@case-platform/modules/banking';
import type { CaseOutline, CasePerson, ScheduledPayment } from '@case-platform/modules/cases';
import type { CaseBalance, CashEntry } from '@case-platform/modules/ledger';
import { dayInText } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState, notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { caseState } from '../page/words.ts';
import { balanceLine, paymentCalendar } from './case-money.ts';
import { cashForm, scheduledPaymentForm } from './case-money-forms.ts';
import { caseProjection } from './case-projection.ts';
import { caseStatement, type ShownStatement } from './case-statement.ts';
import { cashEntries } from './cash-entries.ts';

interface CaseMoneyView {
  outline: CaseOutline;
  /** Whether the reader works on this case or may see all of them. */
  onCase: boolean;
  balance: CaseBalance;
  /** Null for readers who may not see the case's balance. */
  money: { statement: ShownStatement; projection: Projection } | null;
  /** Entries that wait for a second person, and those refused recently. */
  entries: CashEntry[];
  payments: ScheduledPayment[];
  people: CasePerson[];
  /** The categories that its payments can have. */
  categories: string[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The money of a case: its statement, its calendar, and forms for those who may change them. */
export function caseMoneyPage(frame: Frame<StaffActor>, view: CaseMoneyView): Html {
  const { outline, onCase, done, refused, money } = view;
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink(`/cases/${outline.id}`, 'Back to the case')}
      <h1 class="page-title">${outline.name} balance</h1>
      ${money !== null && onCase ? html`<a class="btn page-action" href="/cases/${outline.id}/proofs">Proofs of funds</a>` : ''}
      <p class="page-lead">${caseState(outline.status)} What came in, what went out, and what’s planned.</p>
    </header>
    ${formNotices({ done, refused })}
    ${money === null ? notice('info', 'Your role can’t see this case’s money.') : parts(frame, view, money)}
  </div>`;
  return shellPage(frame, { title: `${outline.name} balance`, content });
}

function parts(frame: Frame<StaffActor>, view: CaseMoneyView, money: NonNullable<CaseMoneyView['money']>): Html {
  const { outline, onCase, balance } = view;
  const { admin } = frame.actor;
  const isOpen = outline.status !== 'closed' && outline.status !== 'cancelled';
  const mayPlan = onCase && admin.can('edit_case_details');
  return html`${balanceLine(balance)}
    ${cashEntries(frame, view.entries, view.refused)}
    ${caseStatement(frame, money.statement)}
    <div class="money-columns">
      <div>${caseProjection(money.projection)}${recording(frame, view)}</div>
      <div>${calendar(frame, view, mayPlan)}${mayPlan && isOpen ? scheduledPaymentForm(frame, outline.id, view) : ''}</div>
    </div>`;
}

/** People who make payments record deposits and refunds of the cases that they see. */
function recording(frame: Frame<StaffActor>, view: CaseMoneyView): Html {
  if (!frame.actor.admin.can('make_payments')) return html``;
  if (view.onCase) return cashForm(frame, view.outline.id, view.refused);
  return html`<p class="quiet mt-3">You’re not on this case’s team, so you can’t record deposits or refunds here.</p>`;
}

function calendar(frame: Frame<StaffActor>, { outline, payments }: CaseMoneyView, mayPlan: boolean): Html {
  const cancel = (payment: ScheduledPayment) =>
    mayPlan && payment.status === 'planned' ? cancelDialog(frame, outline.id, payment) : null;
  const filled = paymentCalendar(frame, payments, cancel);
  if (filled !== null) return filled;
  return html`<section aria-labelledby="calendar">
    <h2 class="section-title" id="calendar">Scheduled payments</h2>
    <div class="panel">
      ${emptyState('calendar-clock', 'Nothing is planned', 'Monthly payments and payments with a known date appear here.')}
    </div>
  </section>`;
}

function cancelDialog(frame: Frame, caseId: number, payment: ScheduledPayment): Html {
  const { id, category, amount_cents, due_date } = payment;
  return confirmDialog(frame, {
    id: `cancel-${id}`,
    button: 'Cancel this payment',
    yes: 'Cancel it',
    no: 'Keep it',
    title: `Cancel ${moneyWords(amount_cents)} for ${category}?`,
    text: `It’s due ${dayInText(due_date, frame.clock)}. It will stay on the schedule as cancelled, and won’t be paid.`,
    action: `/cases/${caseId}/scheduled-payments/${id}/cancel`,
    look: 'btn btn-xs btn-ghost',
  });
}
