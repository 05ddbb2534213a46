import { html } from '@case-platform/lib/html';
import { userTypeInWords } from '@case-platform/modules/accounts';
import type { CaseOutline, CasePerson } from '@case-platform/modules/cases';
import type { Chain } from '@case-platform/modules/messaging';
import type { Frame } from '../frame.ts';
import type { StaffActor } from '../visitors.ts';
import { chainRows } from './chain-list.ts';
import { icon } from './icons.ts';
import { emptyState, notice } from './notice.ts';
import { personLine } from './person.ts';
import { shellPage } from './shell.ts';
import { timeElement } from './times.ts';
import { caseState } from './words.ts';

interface CaseView {
  outline: CaseOutline;
  people: CasePerson[];
  /** Those that the reader may see. */
  chains: Chain[];
  /** Whether the reader works on this case; others see the outline. */
  onCase: boolean;
}

/** A case: how it stands, who is on it, and what is said about it. */
export function casePage(frame: Frame<StaffActor>, { outline, people, chains, onCase }: CaseView): string {
  const { id, name, status, agency_name, escrow_specialist_name, created_at } = outline;
  const write = html`<a class="btn btn-primary page-action" href="/messages/new?case_id=${id}">!${icon('plus')}Write a message</a>`;
  const mayWrite = onCase && frame.actor.admin.can('view_messages');
  const talk =
    chains.length === 0
      ? emptyState('messages-square', 'No conversations', 'What is said about this case is kept here.')
      : chainRows(frame, chains, new Map([[id, name]]));
  const content = html`<div class="page is-roomy">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/cases" aria-label="Back to all cases" title="Back to all cases">!${icon('arrow-left')}</a>
    <h1 class="page-title">${name}</h1>
    !${mayWrite ? write : ''}
    <p class="page-lead">Number ${id}, opened !${timeElement(created_at, frame.clock)} !${caseState(status)}</p>
  </header>
  !${onCase ? '' : notice('info', 'You are not on the team of this case. You see its outline, and no conversations.')}
  <div class="case-columns">
    <section aria-labelledby="talk"><h2 class="section-title" id="talk">Conversations</h2><div class="panel">!${talk}</div></section>
    <section aria-labelledby="people"><h2 class="section-title" id="people">People</h2><ul class="people panel">
      !${escrow_specialist_name === null ? '' : html`<li>!${personLine(escrow_specialist_name, 'Escrow specialist', { staff: true })}</li>`}
      !${people.map((person) => html`<li>!${personLine(person.name, userTypeInWords(person.user_type))}</li>`)}
    </ul>
    !${agency_name === null ? '' : html`<p class="quiet case-agency">Through the agency ${agency_name}.</p>`}
    </section>
  </div>
</div>`;
  return shellPage(frame, { title: name, content });
}
