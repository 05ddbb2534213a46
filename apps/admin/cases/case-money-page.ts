import { html } from '@case-platform/lib/html';
import type { CaseOutline, CasePerson, ScheduledPayment } from '@case-platform/modules/cases';
import type { CaseBalance, CaseMovement, CashEntry } from '@case-platform/modules/disbursements';
import { dayInText } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { MOVEMENT_WORDS } from '../disbursements/index.ts';
import type { RefusedForm } from '../form/answer-form.ts';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices } from '../form/fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState, notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { caseState } from '../page/words.ts';
import { balanceLine, paymentCalendar } from './case-money.ts';
import { cashForm, scheduledPaymentForm } from './case-money-forms.ts';
import { cashEntries } from './cash-entries.ts';

interface CaseMoneyView {
  outline: CaseOutline;
  /** Whether the reader works on this case or may see all of them. */
  onCase: boolean;
  balance: CaseBalance;
  /** The newest first. */
  movements: { data: CaseMovement[]; next_cursor: string | null };
  /** What waits for a second person, and what was refused recently. */
  entries: CashEntry[];
  payments: ScheduledPayment[];
  people: CasePerson[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The money of a case: its statement, its calendar, and forms for those who may change them. */
export function caseMoneyPage(frame: Frame<StaffActor>, view: CaseMoneyView): string {
  const { outline, onCase, done, refused } = view;
  const { admin } = frame.actor;
  const maySee = onCase || admin.can('view_drs') || admin.can('make_payments');
  const content = html`<div class="page is-roomy">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/cases/${outline.id}" aria-label="Back to the case" title="Back to the case">!${icon('arrow-left')}</a>
    <h1 class="page-title">${outline.name} balance</h1>
    <p class="page-lead">!${caseState(outline.status)} What was paid in, what was paid out, and what is planned.</p>
  </header>
  !${formNotices({ done, refused })}
  !${maySee ? parts(frame, view) : notice('info', 'You’re not on this case’s team, and your role can’t see its money.')}
</div>`;
  return shellPage(frame, { title: `${outline.name} balance`, content });
}

function parts(frame: Frame<StaffActor>, view: CaseMoneyView): string {
  const { outline, onCase, balance } = view;
  const { admin } = frame.actor;
  const isOpen = outline.status !== 'closed' && outline.status !== 'cancelled';
  const mayPlan = onCase && admin.can('edit_case_details');
  return html`!${balanceLine(balance)}<div class="money-columns">
  <div>!${cashEntries(frame, view.entries, view.refused)}!${statement(frame, view)}!${recording(frame, view)}</div>
  <div>!${calendar(frame, view, mayPlan)}!${mayPlan && isOpen ? scheduledPaymentForm(frame, outline.id, view) : ''}</div>
</div>`;
}

/** Whoever makes payments records deposits and refunds of the cases that they see. */
function recording(frame: Frame<StaffActor>, view: CaseMoneyView): string {
  if (!frame.actor.admin.can('make_payments')) return '';
  if (view.onCase) return cashForm(frame, view.outline.id, view.refused);
  return '<p class="quiet mt-3">You are not on this case’s team, so you can’t record deposits or refunds here.</p>';
}

/** How a movement changes the available amount. */
const SIGNS: Record<CaseMovement['kind'], '+' | '−' | ''> = {
  ...{ deposit: '+', refund: '−', hold: '−', release: '+', payment: '', return: '+' },
};

function statement(frame: Frame<StaffActor>, { outline: { id }, movements }: CaseMoneyView): string {
  const rows = movements.data.map((movement) => movementRow(frame, movement));
  const list =
    rows.length === 0
      ? emptyState(
          'landmark',
          'Nothing was moved yet',
          'What the parents pay in, and what is paid from it, shows up here.',
        )
      : html`<ul class="row-list">!${rows}</ul>`;
  const { next_cursor } = movements;
  const older =
    next_cursor === null
      ? ''
      : html`<nav class="pager" aria-label="Pages"><a class="btn btn-sm" rel="next" href="/cases/${id}/money?cursor=${next_cursor}">Older</a></nav>`;
  return html`<section aria-labelledby="statement"><h2 class="section-title" id="statement">Statement</h2><div class="panel">!${list}</div>!${older}</section>`;
}

function movementRow(frame: Frame<StaffActor>, movement: CaseMovement): string {
  const { kind, amount_cents, memo, disbursement_id, created_by_name, confirmed_by_name, created_at } = movement;
  const by = created_by_name ?? 'the bank';
  const who = confirmed_by_name === null ? by : `recorded by ${by}, confirmed by ${confirmed_by_name}`;
  const about =
    disbursement_id === null
      ? html`${memo}`
      : frame.actor.admin.can('view_drs')
        ? html`${sentence(memo)}, <a class="link" href="/disbursements/${disbursement_id}">request ${disbursement_id}</a>`
        : html`${sentence(memo)}, request ${disbursement_id}`;
  return html`<li class="list-row is-plain"><span class="row-who">${MOVEMENT_WORDS[kind]}</span><span class="row-when"><span class="money">${SIGNS[kind]}${moneyWords(amount_cents)}</span></span>
  <span class="row-what quiet">!${about}</span><span class="row-note">!${timeElement(created_at, frame.clock)}, ${who}</span></li>`;
}

function calendar(frame: Frame<StaffActor>, { outline, payments }: CaseMoneyView, mayPlan: boolean): string {
  const cancel = (payment: ScheduledPayment) =>
    mayPlan && payment.status === 'planned' ? cancelDialog(frame, outline.id, payment) : '';
  const found = paymentCalendar(frame, payments, cancel);
  if (found !== '') return found;
  return html`<section aria-labelledby="calendar"><h2 class="section-title" id="calendar">Scheduled payments</h2><div class="panel">!${emptyState('calendar-clock', 'Nothing is planned', 'Monthly payments and payments with a known date appear here.')}</div></section>`;
}

function cancelDialog(frame: Frame, caseId: number, payment: ScheduledPayment): string {
  const { id, category, amount_cents, due_date } = payment;
  return confirmDialog(frame, {
    ...{ id: `cancel-${id}`, button: 'Cancel this payment', yes: 'Cancel it', no: 'Keep it' },
    title: `Cancel ${moneyWords(amount_cents)} for ${category}?`,
    text: `It’s due ${dayInText(due_date, frame.clock)}. It will stay on the schedule as cancelled, and won’t be paid.`,
    action: `/cases/${caseId}/scheduled-payments/${id}/cancel`,
    look: 'btn btn-xs btn-ghost',
  });
}
