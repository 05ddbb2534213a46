import { type Html, html } from '@case-platform/lib/html';
import type { Agency, StaffMember } from '@case-platform/modules/accounts';
import { CASE_STATUSES, type CaseSort, type CaseStatus, type CaseSummary, type PeopleOfCase } from '@case-platform/modules/cases';
import type { CaseActivity } from '@case-platform/modules/messaging';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { namesInShort } from '@case-platform/words/names';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { caseState, caseStateWords } from '../page/words.ts';
import { CLOSING_SOON_DAYS } from './closing-soon.ts';

/** The filters and the order of the list, as they are in the address. */
interface CaseListQuery {
  show: 'all' | 'mine';
  status?: CaseStatus | undefined;
  agency_id?: number | undefined;
  specialist?: string | undefined;
  /** Only cases that have to be closed soon. */
  due?: 'soon' | undefined;
  q?: string | undefined;
  sort?: CaseSort | undefined;
  cursor?: string | undefined;
}

interface CaseList {
  cases: CaseSummary[];
  next_cursor: string | null;
  people: ReadonlyMap<number, PeopleOfCase>;
  activity: ReadonlyMap<number, CaseActivity>;
  agencies: Agency[];
  staff: StaffMember[];
  query: CaseListQuery;
}

const NEWEST: CaseSort = '-updated_at';
const SORT_WORDS: Record<CaseSort, string> = {
  '-updated_at': 'Recently changed',
  updated_at: 'Least recently changed',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  '-created_at': 'Newest',
  created_at: 'Oldest',
};

/** The cases that the reader may see: who is on them, who manages them, and what is unread. */
export function caseListPage(frame: Frame<StaffActor>, list: CaseList): Html {
  const { cases, next_cursor, query } = list;
  const { admin } = frame.actor;
  const open = html`<a class="btn btn-primary page-action" href="/cases/new">${icon('plus')}Open a case</a>`;
  const content = html`<div class="page is-wide">
    <header class="page-header"><h1 class="page-title">Cases</h1>${admin.can('create_case') ? open : ''}</header>
    ${filters(list, admin.can('view_all_cases'))}
    ${
      query.due === undefined
        ? ''
        : html`<p class="quiet mb-3">
          Showing cases that close within ${CLOSING_SOON_DAYS} days.
          <a class="link" href="${listPath({ ...query, due: undefined, cursor: undefined })}">Show all</a>
        </p>`
    }
    ${cases.length === 0 ? html`<div class="panel">${nothing(query)}</div>` : table(frame, list)}
    ${pager({
      path: (cursor) => listPath({ ...query, cursor }),
      current: query.cursor,
      next: next_cursor,
      first: 'First page',
      more: 'Next page',
    })}
  </div>`;
  return shellPage(frame, { title: 'Cases', content });
}

function table(frame: Frame, list: CaseList): Html {
  const { cases, query } = list;
  const rows = cases.map((one) => row(frame, one, list));
  const headings = [
    heading(query, 'Case', 'name'),
    'State',
    'People',
    'Escrow specialist',
    numberHeading('Last message'),
    heading(query, 'Opened', 'created_at'),
    heading(query, 'Last change', 'updated_at'),
  ];
  return dataTable(headings, rows, 'is-list case-table');
}

function row({ clock }: Frame, { id, name, status, created_at, updated_at }: CaseSummary, list: CaseList): Html {
  const { names = [], escrow_specialist_name = null } = list.people.get(id) ?? {};
  const { unread_count = 0, last_message_at } = list.activity.get(id) ?? {};
  const unread =
    unread_count === 0
      ? ''
      : html`<a class="unread-badge" href="/messages?show=unread&case_id=${id}">
        <span aria-hidden="true">${unread_count}</span>
        <span class="sr-only">${unread_count} unread</span>
      </a>`;
  const written =
    last_message_at === undefined
      ? html`<span class="quiet" title="None you can see">–</span>`
      : timeElement(last_message_at, clock);
  return html`<tr>
    <td data-label="Case" class="cell-wide">
      <a class="link" href="/cases/${id}">${name}</a>
      <span class="cell-note">#${id}</span>
    </td>
    <td data-label="State">${caseState(status)}</td>
    <td data-label="People" title="${names.join(', ')}">
      ${names.length === 0 ? html`<span class="quiet">Nobody yet</span>` : namesInShort(names)}
    </td>
    <td data-label="Escrow specialist">
      ${escrow_specialist_name === null ? html`<span class="state-pill is-waiting">Nobody</span>` : escrow_specialist_name}
    </td>
    <td data-label="Last message" class="is-number">${unread} ${written}</td>
    <td data-label="Opened" class="is-number">${timeElement(created_at, clock)}</td>
    <td data-label="Last change" class="is-number">${timeElement(updated_at, clock)}</td>
  </tr>`;
}

/** A column that the list can be sorted by; another click reverses the order. */
function heading(query: CaseListQuery, words: string, column: 'name' | 'created_at' | 'updated_at'): Html {
  const { sort = NEWEST } = query;
  const first: CaseSort = column === 'name' ? column : `-${column}`;
  const other: CaseSort = column === 'name' ? `-${column}` : column;
  const next = sort === first ? other : first;
  const order = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : 'none';
  const mark = order === 'none' ? '' : icon(order === 'ascending' ? 'arrow-up' : 'arrow-down');
  const number = column === 'name' ? '' : 'is-number';
  return html`<th scope="col" class="${number}" aria-sort="${order}">
    <a class="sort-link" href="${listPath({ ...query, cursor: undefined, sort: next })}" title="${SORT_WORDS[next]}">
      ${words}${mark}
    </a>
  </th>`;
}

function filters({ query, agencies, staff }: CaseList, seesAll: boolean): Html {
  const { status, agency_id, specialist, due, q, sort = NEWEST, show } = query;
  const option = (value: string | number, words: string, chosen: unknown) =>
    html`<option value="${value}" ${String(value) === String(chosen ?? '') ? 'selected' : ''}>${words}</option>`;
  const choice = (name: string, label: string, options: readonly Html[], mark = '') =>
    html`<label class="${mark}">
      <span class="sr-only">${label}</span>
      <select class="select select-sm" name="${name}" data-submit-on-change>
        ${options}
      </select>
    </label>`;
  const tab = (words: string, value: 'all' | 'mine') =>
    html`<a
      href="${listPath({ ...query, cursor: undefined, show: value })}"
      ${show === value ? html`aria-current="true"` : ''}
    >${words}</a>`;
  const tabs = html`<nav class="view-tabs" aria-label="Whose cases">${tab('All', 'all')}${tab('Mine', 'mine')}</nav>`;
  const states = CASE_STATUSES.map((value) => option(value, caseStateWords(value), status));
  const sorts = Object.entries(SORT_WORDS).map(([value, words]) => option(value, words, sort));
  return html`<div class="filter-bar">
    ${seesAll ? tabs : ''}
    <form class="filter-bar is-inner" method="get" action="/cases" role="search">
      ${show === 'mine' ? html`<input type="hidden" name="show" value="mine">` : ''}
      ${due === undefined ? '' : html`<input type="hidden" name="due" value="soon">`}
      ${choice('status', 'State', [option('', 'All states', status), ...states])}
      ${choice('specialist', 'Escrow specialist', [
        option('', 'Any specialist', specialist),
        option('none', 'No specialist', specialist),
        ...staff.map(({ id, name }) => option(id, name, specialist)),
      ])}
      ${
        agencies.length === 0
          ? ''
          : choice('agency_id', 'Agency', [
              option('', 'All agencies', agency_id),
              ...agencies.map(({ id, name }) => option(id, name, agency_id)),
            ])
      }
      ${choice('sort', 'Order', sorts, 'is-phone-only')}
      <div class="search-box">
        <label class="input input-sm">
          <span class="sr-only">Search by case, person or number</span>
          ${icon('search')}
          <input type="search" name="q" value="${q}" maxlength="${SEARCH_MAX}" placeholder="Case, person or number">
        </label>
      </div>
      <button class="btn btn-sm" type="submit" data-without-script>Show</button>
    </form>
  </div>`;
}

function nothing({ q, status, agency_id, specialist, due, show }: CaseListQuery): Html {
  const isNarrowed = (q ?? '') !== '' || [status, agency_id, specialist, due].some((value) => value !== undefined);
  const all = html`<a class="btn btn-sm" href="/cases">Show all cases</a>`;
  if (isNarrowed || show === 'mine') return emptyState('search', 'No matching cases', 'Try different words or filters.', all);
  return emptyState('briefcase-medical', 'You’re not on a case yet', 'Cases appear here when someone adds you to their team.');
}

function listPath({ show, sort, ...rest }: CaseListQuery): string {
  const order = sort === NEWEST ? undefined : sort;
  return listAddress('/cases', { show: show === 'all' ? undefined : show, sort: order, ...rest });
}
