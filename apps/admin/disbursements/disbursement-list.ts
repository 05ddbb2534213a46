import { type Html, html } from '@case-platform/lib/html';
import {
  DISBURSEMENT_STATUSES,
  type Disbursement,
  type DisbursementStatus,
  type DraftOfAnother,
} from '@case-platform/modules/disbursements';
import { unreadDraftWords } from '@case-platform/words/disbursement-states';
import { CATEGORY_MAX, SEARCH_MAX } from '@case-platform/words/limits';
import { sentence } from '@case-platform/words/sentence';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { money } from '../page/money.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { accountChangeCards, type ChangedRequest } from './account-change-cards.ts';
import { arrival, disbursementState, disbursementStateWords, whomItWaitsFor } from './disbursement-state.ts';

interface DisbursementQuery {
  status?: DisbursementStatus | undefined;
  show: 'all' | 'mine';
  case_id?: number | undefined;
  category?: string | undefined;
  q?: string | undefined;
  cursor?: string | undefined;
}

interface DisbursementList {
  disbursements: (Disbursement | DraftOfAnother)[];
  next_cursor: string | null;
  /** Requests for changed bank accounts; empty unless the list shows what waits for the reader. */
  changedRequests: ChangedRequest[];
  query: DisbursementQuery;
}

/** The disbursements of all cases, the newest first. */
export function disbursementListPage(frame: Frame<StaffActor>, list: DisbursementList): Html {
  const { disbursements, query } = list;
  const content = html`<div class="page is-wide">
    ${header()}
    ${tabs(query)}
    ${filters(query)}
    ${accountChangeCards(frame, list.changedRequests)}
    ${disbursements.length === 0 ? html`<div class="panel">${nothing(query)}</div>` : table(frame, disbursements)}
    ${pager({ path: (cursor) => listPath(query, cursor), current: query.cursor, next: list.next_cursor })}
  </div>`;
  return shellPage(frame, { title: 'Requests', content });
}

function header(): Html {
  return html`<header class="page-header">
    <h1 class="page-title">Requests</h1>
    <p class="page-lead">To write a new request, open its case.</p>
  </header>`;
}

function tabs({ show }: DisbursementQuery): Html {
  const links = [
    ['all', 'All requests'],
    ['mine', 'Waiting for me'],
  ].map(([value, words]) => {
    const here = value === show ? html`aria-current="page"` : '';
    return html`<a href="/disbursements${value === 'all' ? '' : '?show=mine'}" ${here}>${words}</a>`;
  });
  return html`<div class="filter-bar"><nav class="view-tabs" aria-label="Whose turn it is">${links}</nav></div>`;
}

function filters(query: DisbursementQuery): Html {
  const option = (value: string, words: string) =>
    html`<option value="${value}" ${value === (query.status ?? '') ? 'selected' : ''}>${words}</option>`;
  const show = query.show === 'mine' ? html`<input type="hidden" name="show" value="mine">` : '';
  const states =
    query.show === 'mine'
      ? ''
      : html`<label class="filter-field">
        <span>State</span>
        <select class="select select-sm" name="status">
          ${option('', 'All states')}
          ${DISBURSEMENT_STATUSES.map((status) => option(status, disbursementStateWords(status)))}
        </select>
      </label>`;
  // A category is searched within one case, so that no list reads more than the requests of one case.
  const category =
    query.case_id === undefined
      ? ''
      : html`<label class="filter-field">
        <span>Category</span>
        <input class="input input-sm" name="category" value="${query.category}" maxlength="${CATEGORY_MAX}">
      </label>`;
  return html`<form class="filter-bar" method="get" action="/disbursements" role="search">
    ${show}
    ${states}
    <label class="filter-field is-short">
      <span>Case number</span>
      <input class="input input-sm" inputmode="numeric" pattern="[0-9]*" name="case_id" value="${query.case_id}" maxlength="15">
    </label>
    ${category}
    <div class="search-box">
      <label class="input input-sm">
        <span class="sr-only">Search by description, person, case, amount, or number</span>
        ${icon('search')}
        <input type="search" name="q" value="${query.q}" maxlength="${SEARCH_MAX}" placeholder="Person, case, or amount">
      </label>
    </div>
    <button class="btn btn-sm" type="submit">Show</button>
    ${
      isNarrowed(query)
        ? html`<a class="btn btn-sm btn-ghost" href="/disbursements${query.show === 'mine' ? '?show=mine' : ''}">Show all</a>`
        : ''
    }
  </form>`;
}

function isNarrowed({ status, case_id, category, q }: DisbursementQuery): boolean {
  return (q ?? '') !== '' || [status, case_id, category].some((value) => value !== undefined);
}

function nothing(query: DisbursementQuery): Html {
  if (isNarrowed(query)) return emptyState('search', 'No matching requests', 'Try other words, another state, or another case.');
  if (query.show === 'mine')
    return emptyState('circle-check', 'Nothing is waiting for you', 'Requests that need your decision appear here.');
  return emptyState('hand-coins', 'No requests yet', 'Requests for payment appear here.');
}

const UNREAD = html`<span class="quiet" aria-hidden="true">–</span>`;

function table(frame: Frame, disbursements: (Disbursement | DraftOfAnother)[]): Html {
  const rows = disbursements.map((request) => {
    const { id, case_id, case_name } = request;
    const { name, note, payee, amount } = request.has_content ? whatItSays(request) : thatItIsThere(request);
    return html`<tr>
      <td data-label="Request" class="cell-wide">
        <a class="link" href="/disbursements/${id}">${name}</a>
        <span class="cell-note">${note}</span>
        ${waiting(frame, request)}
      </td>
      <td data-label="To">${payee}</td>
      <td data-label="Case"><a class="link" href="/cases/${case_id}">${case_name}</a></td>
      <td data-label="State">${disbursementState(request)}${coverageNote(request)}</td>
      <td data-label="Written" class="is-number">${timeElement(request.created_at, frame.clock)}</td>
      <td data-label="Amount" class="is-number">${amount}</td>
    </tr>`;
  });
  return dataTable(
    ['Request', 'To', 'Case', 'State', numberHeading('Written'), numberHeading('Amount')],
    rows,
    'is-list payment-table',
  );
}

function whatItSays({ id, description, category, payee, amount_cents }: Disbursement) {
  const note = `${sentence(category)}, request ${id}`;
  return { name: description, note, payee: payee.name, amount: money(amount_cents) };
}

function thatItIsThere({ id, status, submitted_by }: DraftOfAnother) {
  const { name } = unreadDraftWords(status, submitted_by.name);
  return { name, note: `Request ${id}`, payee: UNREAD, amount: UNREAD };
}

function waiting(frame: Frame, request: Pick<Disbursement, 'whereabouts' | 'waiting_for' | 'waiting_since'>): Html {
  if (request.waiting_for === null) return html``;
  const day = arrival(request, frame.clock);
  const bank = day === null ? '' : html`, ${day}`;
  return html`<span class="cell-note">${whomItWaitsFor(request, frame.clock)}${bank}</span>`;
}

/** Below the state, where no long name cuts it off. */
function coverageNote({ status, covered }: Pick<Disbursement, 'status' | 'covered'>): Html {
  if (status !== 'submitted' || covered !== false) return html``;
  return html`<span class="cell-note block"><span class="over-benefit">Not covered</span></span>`;
}

function listPath({ show, status, case_id, category, q }: DisbursementQuery, cursor: string | undefined): string {
  return listAddress('/disbursements', { show: show === 'mine' ? show : undefined, status, case_id, category, q, cursor });
}
