import { type Html, html } from '@case-platform/lib/html';
import type { Chain } from '@case-platform/modules/messaging';
import { formNotices } from '../form/fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { INBOX_KEYS, keysHelp } from '../page/keys-help.ts';
import { emptyState } from '../page/notice.ts';
import { pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { type ChainListQuery, chainFilters, listPath } from './chain-filters.ts';
import { chainRows, type SearchMarks } from './chain-row.ts';

interface ChainList {
  chains: Chain[];
  next_cursor: string | null;
  caseNames: ReadonlyMap<number, string>;
  query: ChainListQuery;
  /** How many chains no one answers; null for a reader who does not see that queue. */
  unassigned: number | null;
  /** Cases that the list can be filtered by. */
  cases: readonly { id: number; name: string }[];
  search: SearchMarks | undefined;
  /** Why the search was rejected. */
  problem: string | undefined;
  /** The change that was just made on another page. */
  done: string | undefined;
}

/** The inbox: who, what, which case, when; unread ones stand out. */
export function chainListPage(frame: Frame<StaffActor>, list: ChainList): Html {
  const { chains, next_cursor, caseNames, query, unassigned, cases, search, problem, done } = list;
  const write = html`<a class="btn btn-primary page-action" href="/messages/new">${icon('plus')}Write a message</a>`;
  const content = html`<div class="page is-wide">
    <header class="page-header"><h1 class="page-title">Messages</h1>${keysHelp(INBOX_KEYS)}${write}</header>
    ${formNotices({ done })}
    ${chainFilters({ query, unread: frame.unread, unassigned, cases, problem })}
    <p class="sr-only" id="inbox-said" role="status"></p>
    <div class="panel">
      ${chainRows(frame, chains, caseNames, search)}
      <div id="chain-none" data-live>${chains.length === 0 ? nothing(query, problem) : ''}</div>
    </div>
    <div id="chain-pager" data-live>${pager({
      path: (cursor) => listPath({ ...query, cursor }),
      current: query.cursor,
      next: next_cursor,
    })}</div>
  </div>`;
  return shellPage(frame, { title: 'Messages', content, scripts: ['keys.js', 'inbox.js'] });
}

function nothing(query: ChainListQuery, problem: string | undefined): Html {
  const { q, show, assigned, status, case_id } = query;
  if (problem !== undefined) return emptyState('search', 'Check your search', problem);
  if (q !== undefined && q !== '') {
    return emptyState(
      'search',
      'No conversation matches',
      `We found nothing for “${q}”. Try fewer or different words.`,
      html`<a class="btn btn-sm" href="${listPath({ show: 'all', q })}">Search everywhere</a>`,
    );
  }
  if (show === 'unread') return emptyState('mail-check', 'You’re all caught up', 'New messages appear here automatically.');
  if (assigned === 'nobody')
    return emptyState('circle-check', 'Every conversation has an owner', 'Conversations without an owner appear here.');
  if (assigned === 'me')
    return emptyState('inbox', 'No conversations assigned to you', 'Conversations assigned to you appear here.');
  const narrowed = status !== undefined || case_id !== undefined;
  return emptyState(
    'inbox',
    'No conversations here',
    'Your conversations with parents, surrogates and agencies appear here.',
    narrowed ? html`<a class="btn btn-sm" href="/messages">Show all</a>` : undefined,
  );
}
