import { type Html, html } from '@case-platform/lib/html';
import { type Chain, markSearch, type SnippetPart } from '@case-platform/modules/messaging';
import { userTypeInWords } from '@case-platform/words/user-types';
import type { Frame } from '../page/frame.ts';
import { avatar } from '../page/person.ts';
import { timeElement } from '../page/times.ts';
import { chainTitle, chainWith, outsiders } from '../page/words.ts';

/** The words of a search, and the lines that contain them. */
export interface SearchMarks {
  q: string;
  snippets: ReadonlyMap<number, SnippetPart[]>;
}

/** Chains as rows, on the dashboard, in the inbox and on a case. */
export function chainRows(frame: Frame, chains: Chain[], caseNames: ReadonlyMap<number, string>, search?: SearchMarks): Html {
  const rows = chains.map((chain) => chainRow(frame, chain, caseNames, search));
  return html`<ul class="row-list chain-list" id="chain-rows" data-live="merge">${rows}</ul>`;
}

function chainRow(
  { actor, clock }: Frame,
  chain: Chain,
  caseNames: ReadonlyMap<number, string>,
  search: SearchMarks | undefined,
): Html {
  const { last_message: last, unread_count, case_id } = chain;
  const people = outsiders(chain);
  const [first] = people;
  const caseWords = case_id === null ? 'No case' : (caseNames.get(case_id) ?? `Case ${case_id}`);
  const unread =
    unread_count === 0
      ? ''
      : html`<span class="unread-badge">
        <span aria-hidden="true">${unread_count}</span>
        <span class="sr-only">${unread_count} unread</span>
      </span>`;
  const closed = chain.status === 'closed' ? html`<span class="state-pill">Closed</span>` : '';
  const look = `${unread_count > 0 ? 'is-unread' : ''} ${chain.status === 'closed' ? 'is-closed' : ''}`;
  const owner = ownerOf(chain);
  const firstRole = first === undefined ? '' : userTypeInWords(first.user_type);
  const role = people.length > 1 ? `Group of ${people.length}` : firstRole;
  return html`<li id="chain-${chain.id}">
    <a class="list-row chain-row ${look}" href="/messages/${chain.id}" data-chain="${chain.id}" data-last="${last.id}">
      <span class="row-lead">${avatar(first?.name ?? '?', { small: true })}</span>
      <span class="row-who">${chainWith(chain)}</span>
      <span class="row-role">${role}</span>
      <span class="row-what">${search === undefined ? chainTitle(chain) : marked(chainTitle(chain), search.q)}</span>
      <span class="row-note">${note(chain, actor.user.id, search)}</span>
      <span class="row-case">${caseWords}</span>
      <span class="row-owner ${owner === undefined ? 'is-waiting' : ''}">${owner ?? 'Unassigned'}</span>
      <span class="row-when">${timeElement(last.created_at, clock)}</span>
      <span class="row-state">${closed}${unread}</span>
    </a>
  </li>`;
}

/** The chain's owner; undefined for a chain in the queue. */
function ownerOf(chain: Chain): string | undefined {
  return chain.participants.find((person) => person.user_id === chain.assigned_admin_id)?.name;
}

/** The line that a search found, else the beginning of the last message. */
function note({ id, last_message: last }: Chain, readerId: number, search: SearchMarks | undefined): Html {
  const snippet = search?.snippets.get(id);
  if (snippet !== undefined) {
    return html`<span class="row-found">${snippet.map(partHtml)}</span>`;
  }
  const mine = last.from_id === readerId;
  if (last.preview === '') return html`${mine ? 'You took back a message' : 'A message was taken back'}`;
  return html`${mine ? 'You: ' : ''}${last.preview}`;
}

function marked(text: string, q: string): Html {
  return html`${markSearch(text, q).map(partHtml)}`;
}

function partHtml({ text, found }: SnippetPart): Html {
  return found ? html`<mark>${text}</mark>` : html`${text}`;
}
