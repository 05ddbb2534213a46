import { type Html, html } from '@case-platform/lib/html';
import type { StaffMember } from '@case-platform/modules/accounts';
import type { Chain, ChainNote, Message, OwnerProblem } from '@case-platform/modules/messaging';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { CHAIN_KEYS, keysHelp } from '../page/keys-help.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { chainTitle, chainWith } from '../page/words.ts';
import { chainFacts } from './chain-facts.ts';
import { type ComposeMode, composer, refusedText } from './composer.ts';
import { timeline } from './timeline.ts';

interface ChainView {
  chain: Chain;
  /** Newest first, as they are read from the database. */
  messages: Message[];
  /** The notes of staff between these messages, oldest first. */
  notes: ChainNote[];
  next_cursor: string | null;
  /** Whether these are the newest messages, which are then marked as viewed. */
  newest: boolean;
  caseName: string | undefined;
  /** The people who may own the chain; null for a reader who may not assign it. */
  staff: StaffMember[] | null;
  /** Why the owner cannot answer; null if they can, and for a chain without an owner. */
  ownerProblem: OwnerProblem | null;
  /** False for a reader who may only write to one person at a time. */
  mayReply: boolean;
  mode: ComposeMode;
  refused: RefusedForm | undefined;
}

/** A chain: its messages, the composer, and at the side who owns it and who takes part. */
export function chainPage(frame: Frame<StaffActor>, view: ChainView): Html {
  const { chain, messages, notes, next_cursor, newest, mode, mayReply, refused } = view;
  const composing = refusedText(chain.id, refused);
  const earlier =
    next_cursor === null
      ? ''
      : html`<p class="flex justify-center p-3">
        <a class="btn btn-sm" href="/messages/${chain.id}?cursor=${next_cursor}">Earlier messages</a>
      </p>`;
  const later = newest
    ? ''
    : html`<p class="flex justify-center p-3"><a class="btn btn-sm" href="/messages/${chain.id}">Newest messages</a></p>`;
  const upTo = messages[0]?.id ?? 0;
  const content = html`<div class="chain-view is-focus" data-chain-id="${chain.id}">
    <section class="chain-talk" aria-label="Conversation">
      ${header(frame, view)}
      ${ownerNotice(view)}
      ${
        refused === undefined || composing !== undefined
          ? ''
          : html`<div class="px-4 pt-3">${notice('error', refused.words)}</div>`
      }
      <div class="pane-scroll messages-scroll" tabindex="-1">
        <div>
          <div id="earlier" data-live>${earlier}</div>
          ${timeline(frame, chain, [...messages].reverse(), notes)}
          ${later}
        </div>
      </div>
      <div class="chain-new">
        <button class="btn btn-primary btn-sm" id="show-new" type="button" hidden>
          ${icon('arrow-down')}
          <span>New message</span>
        </button>
      </div>
      <div id="chain-unread" data-live>${newest && chain.unread_count > 0 ? viewedForm(frame, chain.id, upTo) : ''}</div>
      ${composer(frame, { chain, mode, mayReply, seen: upTo, refused: composing })}
    </section>
    ${chainFacts(frame, view)}
  </div>`;
  const scripts = ['keys.js', 'compose.js', 'pictures.js', 'chain.js'] as const;
  return shellPage(frame, { title: chainTitle(chain), content, flush: true, scripts });
}

function header(frame: Frame, { chain, caseName }: ChainView): Html {
  const people = chain.subject === '' ? [] : [chainWith(chain)];
  const isOpen = chain.status === 'open';
  const change = (action: string, fields: Html, key: string, mark: Html, words: string) =>
    html`<li>
      <form method="post" action="/messages/${chain.id}/${action}">
        ${csrfField(frame)}
        ${fields}<button class="btn btn-sm" type="submit" data-key="${key}" title="${words}">
          ${mark}
          <span>${words}</span>
        </button>
      </form>
    </li>`;
  const status = html`<input type="hidden" name="status" value="${isOpen ? 'closed' : 'open'}">`;
  return html`<header class="pane-header chain-header">
    <a
      class="btn btn-ghost btn-sm btn-square"
      id="back"
      href="/messages"
      data-key="b"
      aria-label="Back to all messages"
      title="Back to all messages"
    >
      ${icon('arrow-left')}
    </a>
    <hgroup id="chain-title" data-live>
      <h1 class="pane-title" title="${chainTitle(chain)}">${chainTitle(chain)}</h1>
      <p class="pane-note">
        ${isOpen ? '' : html`<span class="state-pill">Closed</span> `}${[...people, caseName ?? 'No case'].join(' · ')}
      </p>
    </hgroup>
    <ul class="chain-actions" id="chain-actions" data-live>
      ${change('unread', html``, 'u', icon('mail'), 'Mark as unread')}
      ${
        isOpen
          ? change('status', status, 'e', icon('circle-check'), 'Close')
          : change('status', status, 'e', icon('rotate-ccw'), 'Reopen')
      }
    </ul>
    <span class="chain-tools">
      ${keysHelp(CHAIN_KEYS)}
      <button type="button" class="btn btn-ghost btn-sm xl:hidden" popovertarget="facts" title="Details">
        ${icon('info')}
        <span>Details</span>
      </button>
    </span>
  </header>`;
}

/** Says that the owner cannot answer, and where another one is chosen (CHAIN-6). */
function ownerNotice({ chain, ownerProblem, staff }: ChainView): Html {
  const owner = chain.participants.find((person) => person.user_id === chain.assigned_admin_id);
  if (ownerProblem === null || owner === undefined) return html`<div id="owner-problem" data-live></div>`;
  const why = ownerProblem === 'inactive' ? 'their account is closed' : 'their role doesn’t include messages';
  const next =
    staff === null
      ? 'Someone who can assign conversations can give it to a colleague.'
      : 'Choose another owner under Details, so that people get an answer.';
  const reassign =
    staff === null
      ? ''
      : html`<button type="button" class="btn btn-sm xl:hidden" popovertarget="facts">Choose another owner</button>`;
  return html`<div class="flex flex-col items-start gap-2 px-4 pt-3" id="owner-problem" data-live>
    ${notice('waiting', next, `${owner.name} can’t answer: ${why}`)} ${reassign}
  </div>`;
}

/** Marks the messages as viewed: a script sends it, or a button where there are no scripts. Opening a page changes nothing. */
function viewedForm(frame: Frame, chainId: number, upToMessageId: number): Html {
  return html`<form class="flex justify-center" id="viewed-form" method="post" action="/messages/${chainId}/viewed">
    ${csrfField(frame)}
    <input type="hidden" name="up_to_message_id" value="${upToMessageId}">
    <noscript><button class="btn btn-sm" type="submit">Mark as read</button></noscript>
  </form>`;
}
