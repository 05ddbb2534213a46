import { html } from '@case-platform/lib/html';
import { CASE_STATUSES, type CaseStatus, type CaseSummary } from '@case-platform/modules/cases';
import type { Frame } from '../frame.ts';
import { icon } from './icons.ts';
import { emptyState } from './notice.ts';
import { shellPage } from './shell.ts';
import { timeElement } from './times.ts';
import { caseState, caseStateWords } from './words.ts';

export interface CaseListQuery {
  status?: CaseStatus | undefined;
  q?: string | undefined;
  cursor?: string | undefined;
}

/** The cases that the reader works on, newest activity first. */
export function caseListPage(
  frame: Frame,
  { cases, next_cursor, query }: { cases: CaseSummary[]; next_cursor: string | null; query: CaseListQuery },
): string {
  const content = html`<div class="page is-wide">
  <header class="page-header"><h1 class="page-title">Cases</h1></header>
  !${filters(query)}
  !${cases.length === 0 ? html`<div class="panel">!${nothing(query)}</div>` : table(frame, cases)}
  !${pager(query, next_cursor)}
</div>`;
  return shellPage(frame, { title: 'Cases', content });
}

function table(frame: Frame, cases: CaseSummary[]): string {
  const rows = cases.map(
    ({ id, name, status, created_at, updated_at }) => html`<tr>
  <td data-label="Case" class="cell-wide"><a class="link" href="/cases/${id}">${name}</a><span class="cell-note">Number ${id}</span></td>
  <td data-label="State">!${caseState(status)}</td>
  <td data-label="Opened" class="is-number">!${timeElement(created_at, frame.clock)}</td>
  <td data-label="Last change" class="is-number">!${timeElement(updated_at, frame.clock)}</td>
</tr>`,
  );
  return html`<div class="data-table-wrap"><table class="data-table is-stacked">
<thead><tr><th scope="col">Case</th><th scope="col">State</th><th scope="col" class="is-number">Opened</th><th scope="col" class="is-number">Last change</th></tr></thead>
<tbody>!${rows}</tbody></table></div>`;
}

function filters({ status, q }: CaseListQuery): string {
  const options = CASE_STATUSES.map(
    (value) => html`<option value="${value}" !${value === status ? 'selected' : ''}>${caseStateWords(value)}</option>`,
  );
  return html`<form class="filter-bar" method="get" action="/cases" role="search">
  <label><span class="sr-only">State</span><select class="select select-sm" name="status" data-submit-on-change><option value="">All states</option>!${options}</select></label>
  <div class="search-box"><label class="input"><span class="sr-only">Search by name</span>!${icon('search')}<input type="search" name="q" value="${q}" maxlength="200" placeholder="Search by name"></label></div>
  <button class="btn btn-sm" type="submit" data-without-script>Show</button>
</form>`;
}

function nothing({ q, status }: CaseListQuery): string {
  if ((q ?? '') !== '' || status !== undefined)
    return emptyState('search', 'No case matches', 'Try fewer or other words, or all states.');
  return emptyState(
    'briefcase-medical',
    'You are on no case yet',
    'Cases appear here as soon as somebody adds you to their team.',
  );
}

function pager(query: CaseListQuery, next_cursor: string | null): string {
  const path = (cursor: string | undefined) => {
    const pairs = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined && value !== '');
    return `/cases?${new URLSearchParams(pairs as [string, string][])}`;
  };
  const first = query.cursor === undefined ? '' : html`<a class="btn btn-sm" href="${path(undefined)}">First page</a>`;
  const next =
    next_cursor === null ? '' : html`<a class="btn btn-sm" rel="next" href="${path(next_cursor)}">Next page</a>`;
  return first === '' && next === '' ? '' : html`<nav class="pager" aria-label="Pages">!${first}!${next}</nav>`;
}
