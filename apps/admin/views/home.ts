import { html } from '@case-platform/lib/html';
import { displayName } from '@case-platform/modules/accounts';
import type { CaseSummary } from '@case-platform/modules/cases';
import type { Chain } from '@case-platform/modules/messaging';
import type { Frame } from '../frame.ts';
import type { StaffActor } from '../visitors.ts';
import { chainRows } from './chain-list.ts';
import { icon } from './icons.ts';
import { emptyState } from './notice.ts';
import { shellPage } from './shell.ts';
import { greetingWords, timeElement } from './times.ts';
import { caseState, counted } from './words.ts';

interface Dashboard {
  unreadChains: Chain[];
  unreadChainCount: number;
  cases: CaseSummary[];
  caseNames: ReadonlyMap<number, string>;
}

/** What waits for an admin, newest first. */
export function dashboardPage(
  frame: Frame<StaffActor>,
  { unreadChains, unreadChainCount, cases, caseNames }: Dashboard,
) {
  const { admin, user } = frame.actor;
  const lead =
    frame.unread === 0
      ? 'Nothing waits for an answer from you.'
      : `${counted(frame.unread, 'unread message')} in ${counted(unreadChainCount, 'conversation')}.`;
  const write = html`<a class="btn btn-primary page-action" href="/messages/new">!${icon('plus')}Write a message</a>`;
  const all = html`<a class="link" href="/messages">All messages</a>`;
  const waiting =
    unreadChains.length === 0
      ? emptyState(
          'mail-check',
          'You have read everything',
          'New messages from parents, surrogates and agencies appear here.',
        )
      : chainRows(frame, unreadChains, caseNames);
  const content = html`<div class="page is-roomy">
  <header class="page-header">
    <h1 class="page-title">${greetingWords(frame.clock)}, ${user.first_name || displayName(user)}</h1>
    !${admin.can('view_messages') ? write : ''}
    <p class="page-lead">${lead}</p>
  </header>
  <section aria-labelledby="waiting">
    <h2 class="section-title" id="waiting">Waiting for you !${admin.can('view_messages') ? all : ''}</h2>
    <div class="panel">!${waiting}</div>
  </section>
  !${caseSection(frame, cases)}
</div>`;
  return shellPage(frame, { title: 'Dashboard', content });
}

function caseSection(frame: Frame, cases: CaseSummary[]): string {
  if (cases.length === 0) return '';
  const rows = cases.map(
    ({ id, name, status, updated_at }) => html`<li><a class="list-row" href="/cases/${id}">
      <span class="row-who">${name}</span><span class="row-when">!${timeElement(updated_at, frame.clock)}</span>
      <span class="row-what quiet">Number ${id}</span><span class="row-state">!${caseState(status)}</span>
    </a></li>`,
  );
  return html`<section aria-labelledby="cases">
    <h2 class="section-title" id="cases">Your cases <a class="link" href="/cases">All cases</a></h2>
    <ul class="row-list panel">!${rows}</ul>
  </section>`;
}

/** The home of everyone who is not staff: their messages and cases are in the web frontend. */
export function welcomePage(frame: Frame): string {
  const { user } = frame.actor;
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <h1 class="page-title">${greetingWords(frame.clock)}, ${user.first_name || displayName(user)}</h1>
    <p class="page-lead">This is the place of the escrow company’s staff. Your messages, cases and requests are in the Case Platform.</p>
  </header>
  <div class="panel welcome-panel">
    <p>${frame.unread === 0 ? 'You have read all your messages.' : `You have ${counted(frame.unread, 'unread message')}.`}
      The Case Platform asks you to sign in there once more: the two places share no session.</p>
    <p><a class="btn btn-primary" href="${frame.webUrl}/messages">!${icon('messages-square')}Go to my messages</a></p>
  </div>
</div>`;
  return shellPage(frame, { title: 'Home', content });
}
