import { type Html, html } from '@case-platform/lib/html';
import type { ScheduledPayment, ScheduledPaymentStatus } from '@case-platform/modules/cases';
import type { Disbursement, DraftOfAnother, Whereabouts } from '@case-platform/modules/disbursements';
import type { CaseBalance } from '@case-platform/modules/ledger';
import { counted } from '@case-platform/words/counts';
import { dayOf } from '@case-platform/words/days';
import { unreadDraftWords } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { arrival, disbursementState, whomItWaitsFor } from '../disbursements/index.ts';
import type { Frame } from '../page/frame.ts';
import { money } from '../page/money.ts';
import { emptyState } from '../page/notice.ts';
import { dayElement, dayElementInText, timeElementInText } from '../page/times.ts';

/** A scheduled payment, with the place of its request for those who read requests (WHERE-1). */
export interface CalendarPayment extends ScheduledPayment {
  whereabouts?: Whereabouts | undefined;
}

export interface CaseMoney {
  balance: CaseBalance;
  /** The newest; null for readers whose role sees no requests. */
  disbursements: { data: (Disbursement | DraftOfAnother)[]; next_cursor: string | null } | null;
  /** The case's calendar, the earliest due date first. */
  payments: { data: CalendarPayment[]; next_cursor: string | null };
  caseId: number;
  /** Where the reader writes a new one; undefined for readers who may not. */
  newDisbursement?: string | undefined;
}

/** The balance of a case, its latest disbursements, and its scheduled payments. */
export function caseMoney(frame: Frame, { caseId, balance, disbursements, payments, newDisbursement }: CaseMoney): Html {
  const rows = disbursements?.data.map((one) => disbursementRow(frame, one)) ?? [];
  const list =
    disbursements === null
      ? html`<p class="empty-line quiet">Your role can’t see requests.</p>`
      : rows.length === 0
        ? emptyState('hand-coins', 'No requests', 'Requests for payment from this case appear here.')
        : html`<ul class="row-list">${rows}</ul>`;
  const write = newDisbursement === undefined ? '' : html`<a class="link" href="${newDisbursement}">New request</a>`;
  const all = html`<a class="link" href="/cases/${caseId}/money">Statement and schedule</a>`;
  return html`<section aria-labelledby="money">
      <h2 class="section-title" id="money">Money<span class="section-links">${all}${write}</span></h2>
      ${balanceLine(balance)}
      <div class="panel">${list}</div>
    </section>
    ${paymentCalendar(frame, payments.data)}`;
}

/** The balance of a case, in four figures. */
export function balanceLine({ available_cents, held_cents, paid_cents, funded_cents }: CaseBalance): Html {
  const figure = (words: string, cents: number, mark = '') =>
    html`<div class="balance-figure ${mark}">
      <dt>${words}</dt>
      <dd class="money">${moneyWords(cents)}</dd>
    </div>`;
  return html`<dl class="balance panel">
    ${figure('Available', available_cents, 'is-main')}
    ${figure('Set aside', held_cents)}
    ${figure('Paid out', paid_cents)}
    ${figure('Paid in', funded_cents)}
  </dl>`;
}

function disbursementRow(frame: Frame, disbursement: Disbursement | DraftOfAnother): Html {
  const { id, updated_at } = disbursement;
  const { clock } = frame;
  const content = disbursement.has_content ? whatItSays(disbursement) : thatItIsThere(disbursement);
  const waitsFor = whomItWaitsFor(disbursement, clock);
  const line = html`${content}
    <span class="row-state">${disbursementState(disbursement)}</span>
    <span class="row-note">${waitsFor ?? html`Changed ${timeElementInText(updated_at, clock)}`}</span>`;
  const mayOpen = frame.actor.admin?.can('view_drs') ?? false;
  return mayOpen
    ? html`<li><a class="list-row" href="/disbursements/${id}">${line}</a></li>`
    : html`<li class="list-row is-plain">${line}</li>`;
}

function whatItSays({ category, description, payee, amount_cents }: Disbursement): Html {
  return html`<span class="row-who">${description}</span><span class="row-when">${money(amount_cents)}</span>
    <span class="row-what quiet">${sentence(category)} to ${payee.name}</span>`;
}

function thatItIsThere({ status, submitted_by }: DraftOfAnother): Html {
  const { name, why } = unreadDraftWords(status, submitted_by.name);
  return html`<span class="row-who">${name}</span><span class="row-when"></span><span class="row-what quiet">${why}</span>`;
}

const PAYMENT_LOOKS: Record<ScheduledPaymentStatus, { words: string; look: string }> = {
  planned: { words: 'Planned', look: '' },
  requested: { words: 'Requested', look: 'is-waiting' },
  paid: { words: 'Paid', look: 'is-done' },
  cancelled: { words: 'Cancelled', look: '' },
};

type Action = (payment: CalendarPayment) => Html | null;

/**
 * The scheduled payments, folded by category: how many are made, which is next, and each of them with its action. Whatever is due
 * next comes first; what is finished is folded away together.
 */
export function paymentCalendar(frame: Frame, payments: CalendarPayment[], action: Action = () => null): Html | null {
  const categories = [...Map.groupBy(payments, ({ category }) => category)].map(([category, lines]) => {
    return { category, lines, next: lines.find(isOpen) };
  });
  if (categories.length === 0) return null;
  const open = categories.flatMap(({ next, ...rest }) => (next === undefined ? [] : [{ ...rest, next }]));
  open.sort((one, other) => one.next.due_date.localeCompare(other.next.due_date));
  const over = categories.filter(({ next }) => next === undefined);
  const folds = [...open, ...over].map((one) => categoryFold(frame, one, action));
  const done = folds.slice(open.length);
  const names = over.map(({ category }) => sentence(category)).join(', ');
  const finished = html`<details class="fold">
    <summary>
      <span class="fold-name">Finished</span><span class="fold-note">${names}</span>
    </summary>
    ${done}
  </details>`;
  return html`<section aria-labelledby="calendar">
    <h2 class="section-title" id="calendar">Scheduled payments</h2>
    <div class="panel">${folds.slice(0, open.length)}${done.length < 2 ? done : finished}</div>
  </section>`;
}

function isOpen({ status }: ScheduledPayment): boolean {
  return status !== 'paid' && status !== 'cancelled';
}

interface CategoryPayments {
  category: string;
  lines: CalendarPayment[];
  next?: CalendarPayment | undefined;
}

function categoryFold(frame: Frame, { category, lines, next }: CategoryPayments, action: Action): Html {
  const live = lines.filter(({ status }) => status !== 'cancelled');
  const payments = live.filter(({ status }) => status === 'paid');
  const note = live.length === 0 ? 'Cancelled' : `${payments.length} of ${counted(live.length, 'payment')} made`;
  const comes = next === undefined ? (live.length === 0 ? '' : 'All paid') : nextPayment(frame, next);
  return html`<details class="fold">
    <summary>
      <span class="fold-name">${sentence(category)}</span>
      <span class="fold-note">${note}</span>
      <span class="fold-end">${comes}</span>
    </summary>
    <ul class="row-list">${lines.map((line) => paymentRow(frame, line, action(line)))}</ul>
  </details>`;
}

function nextPayment(frame: Frame, { amount_cents, due_date }: ScheduledPayment): Html {
  const isLate = due_date < dayOf(frame.clock.now, frame.clock.zone);
  const [words, day] = [moneyWords(amount_cents), dayElement(due_date, frame.clock)];
  if (isLate) return html`<span class="state-pill is-waiting">Overdue</span> ${words} · ${day}`;
  return html`Next ${words} · ${day}`;
}

function paymentRow(frame: Frame, payment: CalendarPayment, action: Html | null): Html {
  const { description, category, due_date, amount_cents, status, payee, whereabouts } = payment;
  const isUnderWay = status === 'requested' && whereabouts !== undefined;
  const day = isUnderWay ? arrival({ whereabouts }, frame.clock) : null;
  const { words, look } = PAYMENT_LOOKS[status];
  const pill = isUnderWay ? disbursementState({ whereabouts }) : html`<span class="state-pill ${look}">${words}</span>`;
  const to = payee === null ? '' : html` <span class="quiet">to ${payee.name}</span>`;
  return html`<li class="list-row is-plain">
    <span class="row-who">${description || sentence(category)}${to}</span>
    <span class="row-when">${money(amount_cents)}</span>
    <span class="row-what quiet">Due ${dayElementInText(due_date, frame.clock)}${day === null ? '' : html` · ${day}`}</span>
    <span class="row-state">${pill}</span>
    ${action === null ? '' : html`<span class="row-note">${action}</span>`}
  </li>`;
}
