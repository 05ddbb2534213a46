import { html } from '@case-platform/lib/html';
import { userTypeInWords } from '@case-platform/modules/accounts';
import type { Chain } from '@case-platform/modules/messaging';
import type { Frame } from '../frame.ts';
import { icon } from './icons.ts';
import { emptyState } from './notice.ts';
import { avatar } from './person.ts';
import { shellPage } from './shell.ts';
import { timeElement } from './times.ts';
import { chainTitle, chainWith, outsiders } from './words.ts';

/** What the list is narrowed to, as it stands in the address. */
export interface ChainListQuery {
  show: 'all' | 'unread';
  status?: 'open' | 'closed' | undefined;
  q?: string | undefined;
  case_id?: number | undefined;
  cursor?: string | undefined;
}

interface ChainList {
  chains: Chain[];
  next_cursor: string | null;
  caseNames: ReadonlyMap<number, string>;
  query: ChainListQuery;
}

/** The inbox: who, what, which case, when; unread ones stand out. */
export function chainListPage(frame: Frame, { chains, next_cursor, caseNames, query }: ChainList): string {
  const caseName = query.case_id === undefined ? undefined : (caseNames.get(query.case_id) ?? `Case ${query.case_id}`);
  const content = html`<div class="page is-wide">
  <header class="page-header">
    <h1 class="page-title">Messages</h1>
    <a class="btn btn-primary page-action" href="/messages/new">!${icon('plus')}Write a message</a>
  </header>
  !${filters(query, frame.unread)}
  !${caseName === undefined ? '' : html`<p class="filter-note">Only of <a class="link" href="/cases/${query.case_id}">${caseName}</a>. <a class="link" href="/messages">Show all</a></p>`}
  <div class="panel">!${chains.length === 0 ? nothing(query) : chainRows(frame, chains, caseNames)}</div>
  !${pager(query, next_cursor)}
</div>`;
  return shellPage(frame, { title: 'Messages', content });
}

/** Chains as rows, on the dashboard, in the inbox and on a case. */
export function chainRows(frame: Frame, chains: Chain[], caseNames: ReadonlyMap<number, string>): string {
  return html`<ul class="row-list chain-list">!${chains.map((chain) => chainRow(frame, chain, caseNames))}</ul>`;
}

function chainRow({ actor, clock }: Frame, chain: Chain, caseNames: ReadonlyMap<number, string>): string {
  const { last_message: last, unread_count, case_id } = chain;
  const people = outsiders(chain);
  const [first] = people;
  const mine = last.from_id === actor.user.id;
  const caseWords = case_id === null ? 'No case' : (caseNames.get(case_id) ?? `Case ${case_id}`);
  const unread =
    unread_count === 0
      ? ''
      : html`<span class="unread-badge"><span aria-hidden="true">${unread_count}</span><span class="sr-only">${unread_count} unread</span></span>`;
  const closed = chain.status === 'closed' ? html`<span class="state-pill">Closed</span>` : '';
  return html`<li><a class="list-row chain-row ${unread_count > 0 ? 'is-unread' : ''}" href="/messages/${chain.id}">
  <span class="row-lead">!${avatar(first?.name ?? '?', { small: true })}</span>
  <span class="row-who">${chainWith(chain)}</span>
  <span class="row-role">${people.length > 1 ? `Group of ${people.length}` : first === undefined ? '' : userTypeInWords(first.user_type)}</span>
  <span class="row-what">${chainTitle(chain)}</span>
  <span class="row-note">${mine ? 'You: ' : ''}${last.preview}</span>
  <span class="row-case">${caseWords}</span>
  <span class="row-owner">${ownerOf(chain)}</span>
  <span class="row-when">!${timeElement(last.created_at, clock)}</span>
  <span class="row-state">!${closed}!${unread}</span>
</a></li>`;
}

/** Whose the chain is. */
export function ownerOf(chain: Chain): string {
  const owner = chain.participants.find((person) => person.user_id === chain.assigned_admin_id);
  return owner?.name ?? 'Unassigned';
}

function filters(query: ChainListQuery, unread: number): string {
  const tab = (words: string, change: Partial<ChainListQuery>, current: boolean, count = 0) => {
    const number = count === 0 ? '' : html` <span class="tab-count">${count}</span>`;
    return html`<a href="${listPath({ ...query, cursor: undefined, ...change })}" !${current ? 'aria-current="true"' : ''}>${words}!${number}</a>`;
  };
  const { show, status } = query;
  const keep = html`!${hidden('show', show === 'unread' ? 'unread' : undefined)}!${hidden('status', status)}!${hidden('case_id', query.case_id)}`;
  return html`<div class="filter-bar">
  <nav class="view-tabs" aria-label="Which messages">
    !${tab('All', { show: 'all', status: undefined }, show === 'all' && status === undefined)}
    !${tab('Unread', { show: 'unread', status: undefined }, show === 'unread', unread)}
    !${tab('Open', { show: 'all', status: 'open' }, show === 'all' && status === 'open')}
    !${tab('Closed', { show: 'all', status: 'closed' }, show === 'all' && status === 'closed')}
  </nav>
  <form class="search-box" role="search" method="get" action="/messages">
    !${keep}
    <label class="input"><span class="sr-only">Search subjects and messages</span>!${icon('search')}<input type="search" name="q" value="${query.q ?? ''}" maxlength="200" placeholder="Search subjects and messages"></label>
    <button class="sr-only" type="submit">Search</button>
  </form>
</div>`;
}

function hidden(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`;
}

function nothing({ q, show }: ChainListQuery): string {
  if (q !== undefined && q !== '') {
    return emptyState(
      'search',
      'No conversation matches',
      `Nothing that you may see holds “${q}”. Try fewer or other words.`,
    );
  }
  if (show === 'unread')
    return emptyState('mail-check', 'You have read everything', 'New messages appear here by themselves.');
  return emptyState(
    'inbox',
    'No conversations here',
    'What parents, surrogates and agencies write to you, and what you write to them, is kept here.',
  );
}

function pager(query: ChainListQuery, next_cursor: string | null): string {
  const newest =
    query.cursor === undefined
      ? ''
      : html`<a class="btn btn-sm" href="${listPath({ ...query, cursor: undefined })}">Newest</a>`;
  const older =
    next_cursor === null
      ? ''
      : html`<a class="btn btn-sm" rel="next" href="${listPath({ ...query, cursor: next_cursor })}">Older</a>`;
  return newest === '' && older === '' ? '' : html`<nav class="pager" aria-label="Pages">!${newest}!${older}</nav>`;
}

function listPath({ show, ...rest }: ChainListQuery): string {
  const pairs = Object.entries({ show: show === 'all' ? undefined : show, ...rest }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? '/messages' : `/messages?${query}`;
}
