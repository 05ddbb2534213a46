import { type Html, html } from '@case-platform/lib/html';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { SEARCH_HINT } from '@case-platform/words/messages/search-hint';
import { icon } from '../page/icons.ts';
import { listAddress } from '../page/pager.ts';

/** The filters of the list, as they are in the address. */
export interface ChainListQuery {
  show: 'all' | 'unread';
  assigned?: 'me' | 'nobody' | undefined;
  status?: 'open' | 'closed' | undefined;
  q?: string | undefined;
  case_id?: number | undefined;
  cursor?: string | undefined;
}

interface FilterChoices {
  query: ChainListQuery;
  unread: number;
  /** How many chains no one answers; null for a reader who does not see that queue. */
  unassigned: number | null;
  /** The cases to choose from. */
  cases: readonly { id: number; name: string }[];
  /** Why the search was rejected. */
  problem: string | undefined;
}

/** The filters of the inbox. All of them are in the address, so that it can be saved and shared. */
export function chainFilters({ query, unread, unassigned, cases, problem }: FilterChoices): Html {
  const { assigned, show, status } = query;
  const number = (count: number) => (count === 0 ? '' : html` <span class="tab-count">${count}</span>`);
  const tab = (words: string, value: ChainListQuery['assigned'], count = 0) =>
    html`<a
      href="${listPath({ ...query, cursor: undefined, assigned: value })}"
      ${assigned === value ? html`aria-current="true"` : ''}
    >${words}${number(count)}</a>`;
  const option = (value: string | number, words: string, chosen: boolean) =>
    html`<option value="${value}" ${chosen ? 'selected' : ''}>${words}</option>`;
  return html`<div class="filter-bar chain-filters">
    <nav class="view-tabs" id="filter-owner" data-live aria-label="Whose conversations">
      ${tab('All', undefined)}
      ${tab('Mine', 'me')}
      ${unassigned === null ? '' : tab('Unassigned', 'nobody', unassigned)}
    </nav>
    <form class="filter-form" role="search" method="get" action="/messages">
      ${assigned === undefined ? '' : html`<input type="hidden" name="assigned" value="${assigned}">`}
      <label class="filter-check">
        <input
          class="checkbox"
          type="checkbox"
          name="show"
          value="unread"
          data-submit-on-change
          ${show === 'unread' ? 'checked' : ''}
        >
        <span id="filter-unread" data-live>Unread only${number(unread)}</span>
      </label>
      <label>
        <span class="sr-only">State</span>
        <select class="select" name="status" data-submit-on-change>
          ${option('', 'Open and closed', status === undefined)}
          ${option('open', 'Open', status === 'open')}
          ${option('closed', 'Closed', status === 'closed')}
        </select>
      </label>
      <label>
        <span class="sr-only">Case</span>
        <select class="select" name="case_id" data-submit-on-change>
          ${option('', 'All cases', query.case_id === undefined)}
          ${cases.map(({ id, name }) => option(id, name, id === query.case_id))}
        </select>
      </label>
      <label class="input search-field">
        <span class="sr-only">Search subjects and messages</span>
        ${icon('search')}
        <input
          type="search"
          name="q"
          value="${query.q ?? ''}"
          maxlength="${SEARCH_MAX}"
          placeholder="Search subjects and messages"
          aria-describedby="search-hint"
          ${problem === undefined ? '' : html`aria-invalid="true"`}
          data-key="/"
        >
        <span class="search-hint ${problem === undefined ? '' : 'field-error'}" id="search-hint">${problem ?? SEARCH_HINT}</span>
      </label>
      <button class="btn btn-sm" type="submit" data-without-script>Show</button>
    </form>
  </div>`;
}

/** The address of a list. */
export function listPath({ show, ...rest }: ChainListQuery): string {
  return listAddress('/messages', { show: show === 'all' ? undefined : show, ...rest });
}
