import { html } from '@case-platform/lib/html';
import { userTypeInWords } from '@case-platform/modules/accounts';
import type { Chain, Message } from '@case-platform/modules/messaging';
import type { Frame } from '../frame.ts';
import { composer } from './composer.ts';
import { icon } from './icons.ts';
import { personLine } from './person.ts';
import { csrfField, shellPage } from './shell.ts';
import { thread } from './thread.ts';
import { timeElement } from './times.ts';
import { chainTitle, chainWith, outsiders } from './words.ts';

export interface ChainView {
  chain: Chain;
  /** Newest first, as they are read. */
  messages: Message[];
  next_cursor: string | null;
  /** Whether these are the newest messages: then they are viewed, and new ones are looked for. */
  newest: boolean;
  caseName: string | undefined;
  /** A reply that could not be sent, and why. */
  failed?: { text: string; problem: string } | undefined;
}

/** A chain: what was said, the form to reply, and at the side whose it is and whom it is with. */
export function chainPage(frame: Frame, view: ChainView): string {
  const { chain, messages, next_cursor, newest, failed } = view;
  const earlier =
    next_cursor === null
      ? ''
      : html`<p class="thread-more"><a class="btn btn-sm" href="/messages/${chain.id}?cursor=${next_cursor}">Earlier messages</a></p>`;
  const later = newest
    ? newerMessages(chain.id, messages[0]?.id ?? 0)
    : html`<p class="thread-more"><a class="btn btn-sm" href="/messages/${chain.id}">Newest messages</a></p>`;
  const content = html`<div class="chain-view is-focus">
  <section class="chain-talk" aria-label="Conversation">
    <header class="pane-header">
      <a class="btn btn-ghost btn-sm btn-square" href="/messages" aria-label="Back to all messages" title="Back to all messages">!${icon('arrow-left')}</a>
      <hgroup><h1 class="pane-title">${chainTitle(chain)}</h1><p class="pane-note">${paneNote(view)}</p></hgroup>
      <button type="button" class="btn btn-ghost btn-sm chain-facts-button xl:hidden" popovertarget="facts">!${icon('info')}Details</button>
    </header>
    <div class="pane-scroll thread-scroll" tabindex="-1"><div>!${earlier}!${thread(frame, chain, [...messages].reverse())}!${later}</div></div>
    !${newest && chain.unread_count > 0 ? viewedForm(frame, chain.id, messages[0]?.id ?? 0) : ''}
    !${composer(frame, { action: `/messages/${chain.id}`, text: failed?.text ?? '', problem: failed?.problem, draft: `${frame.actor.user.id}-chain-${chain.id}` })}
  </section>
  !${facts(frame, view)}
</div>`;
  return shellPage(frame, { title: chainTitle(chain), content, flush: true });
}

function paneNote({ chain, caseName }: ChainView): string {
  const people = chain.subject === '' ? [] : [chainWith(chain)];
  return [...people, caseName ?? 'No case'].join(' · ');
}

/** Marks what the reader sees as viewed, by itself where scripts run, by a button elsewhere: opening a page changes nothing. */
function viewedForm(frame: Frame, chainId: number, upToMessageId: number): string {
  const action = `/messages/${chainId}/viewed`;
  return html`<form class="viewed-form" method="post" action="${action}" hx-post="${action}" hx-trigger="load" hx-swap="none">
  !${csrfField(frame)}<input type="hidden" name="up_to_message_id" value="${upToMessageId}">
  <noscript><button class="btn btn-sm" type="submit">Mark as read</button></noscript>
</form>`;
}

/** Looks for what came after a message; a link appears when there is something. */
export function newerMessages(chainId: number, afterId: number, from?: string): string {
  if (from !== undefined) {
    return html`<p class="thread-more" role="status"><a class="btn btn-sm btn-primary" href="/messages/${chainId}">${from} wrote. Show the new message</a></p>`;
  }
  return html`<div hx-get="/messages/${chainId}/newer?after=${afterId}" hx-trigger="every 20s" hx-headers='{"x-background":"1"}' hx-swap="outerHTML"></div>`;
}

/** Beside the talk on a desk; on a phone it opens over it. */
function facts(frame: Frame, { chain, caseName }: ChainView): string {
  const owner = chain.participants.find((person) => person.user_id === chain.assigned_admin_id);
  const people = outsiders(chain).map(
    (person) => html`<li>!${personLine(person.name, userTypeInWords(person.user_type), { small: true })}</li>`,
  );
  const state =
    chain.status === 'open'
      ? html`<span class="state-pill is-active">Open</span>`
      : html`<span class="state-pill">Closed</span>`;
  const ownerLine =
    owner === undefined
      ? html`<p><span class="state-pill is-waiting">Nobody yet</span></p><p class="quiet">It waits in the queue of those who may assign conversations.</p>`
      : personLine(owner.name, owner.user_id === frame.actor.user.id ? 'You' : 'Escrow specialist', {
          staff: true,
          small: true,
        });
  return html`<aside class="chain-facts" id="facts" popover aria-label="About this conversation">
  <h2>State</h2><p>!${state}</p>
  <h2>Owner</h2>!${ownerLine}
  <h2>Case</h2><p>!${chain.case_id === null ? html`<span class="quiet">Not about a case</span>` : html`<a class="link" href="/cases/${chain.case_id}">${caseName}</a>`}</p>
  <h2>With</h2><ul class="people">!${people}</ul>
  <h2>Started</h2><p>!${timeElement(chain.created_at, frame.clock)}</p>
</aside>`;
}
