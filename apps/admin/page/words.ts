import { type Html, html } from '@case-platform/lib/html';
import type { CaseStatus } from '@case-platform/modules/cases';
import type { Chain, ChainParticipant } from '@case-platform/modules/messaging';
import { caseStateInWords } from '@case-platform/words/case-states';
import { namesInShort } from '@case-platform/words/names';
import { type UserType, userTypeInWords } from '@case-platform/words/user-types';

/** The people of a chain who are not staff, as one line. */
export function chainWith(chain: Pick<Chain, 'participants'>): string {
  const names = outsiders(chain).map((person) => person.name);
  return names.length === 0 ? 'Staff only' : namesInShort(names);
}

/** The title of a chain: its subject, else the people in it. */
export function chainTitle(chain: Pick<Chain, 'participants' | 'subject'>): string {
  return chain.subject === '' ? chainWith(chain) : chain.subject;
}

/** Everyone of a chain who is not staff. */
export function outsiders(chain: Pick<Chain, 'participants'>): ChainParticipant[] {
  return chain.participants.filter((person) => person.user_type !== 'admin');
}

/** The role of a sender in a chain; the admin who owns it is its escrow specialist. */
export function senderRole(sender: { from_type: UserType; from_id: number }, chain: Pick<Chain, 'assigned_admin_id'>): string {
  if (sender.from_type === 'admin' && sender.from_id === chain.assigned_admin_id) return 'Escrow specialist';
  return userTypeInWords(sender.from_type);
}

/** The state of a case in words. */
export function caseStateWords(status: CaseStatus): string {
  return caseStateInWords(status).words;
}

/** The state of a case as a pill. */
export function caseState(status: CaseStatus): Html {
  const { words, mark } = caseStateInWords(status);
  return html`<span class="state-pill ${mark}">${words}</span>`;
}
