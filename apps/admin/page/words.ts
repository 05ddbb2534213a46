import { html } from '@case-platform/lib/html';
import { type UserType, userTypeInWords } from '@case-platform/modules/accounts';
import type { CaseStatus } from '@case-platform/modules/cases';
import type { Chain, ChainParticipant } from '@case-platform/modules/messaging';

/** The people of a chain who are not staff, as one line. */
export function chainWith(chain: Pick<Chain, 'participants'>): string {
  const names = outsiders(chain).map((person) => person.name);
  return names.length === 0 ? 'Nobody but staff' : namesInShort(names);
}

/** "A", "A and B", "A, B and 3 more". */
export function namesInShort(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ');
  return `${names[0]}, ${names[1]} and ${names.length - 2} more`;
}

/** The title of a chain: its subject, else whom it is with. */
export function chainTitle(chain: Pick<Chain, 'participants' | 'subject'>): string {
  return chain.subject === '' ? chainWith(chain) : chain.subject;
}

/** Everyone of a chain who is not staff. */
export function outsiders(chain: Pick<Chain, 'participants'>): ChainParticipant[] {
  return chain.participants.filter((person) => person.user_type !== 'admin');
}

/** The role of a sender in a chain; the admin who owns it is its escrow specialist. */
export function senderRole(
  sender: { from_type: UserType; from_id: number },
  chain: Pick<Chain, 'assigned_admin_id'>,
): string {
  if (sender.from_type === 'admin' && sender.from_id === chain.assigned_admin_id) return 'Escrow specialist';
  return userTypeInWords(sender.from_type);
}

const CASE_STATES: Record<CaseStatus, { words: string; mark: '' | 'is-waiting' | 'is-active' }> = {
  intake: { words: 'Intake', mark: '' },
  pending_funding: { words: 'Waiting for funds', mark: 'is-waiting' },
  active: { words: 'Active', mark: 'is-active' },
  on_hold: { words: 'On hold', mark: 'is-waiting' },
  closing: { words: 'Closing', mark: '' },
  closed: { words: 'Closed', mark: '' },
  cancelled: { words: 'Cancelled', mark: '' },
};

/** The state of a case in words. */
export function caseStateWords(status: CaseStatus): string {
  return CASE_STATES[status].words;
}

/** The state of a case as a pill. */
export function caseState(status: CaseStatus): string {
  return html`<span class="state-pill ${CASE_STATES[status].mark}">${caseStateWords(status)}</span>`;
}

/** A code word as words: `new_message` is "New message". */
export function sentence(code: string): string {
  const words = code.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "1 message", "3 messages". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A size as people read it. */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Up to two initials of a name. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const last = words.length > 1 ? [...(words.at(-1) ?? '')][0] : undefined;
  return `${[...(words[0] ?? '?')][0]}${last ?? ''}`.toUpperCase();
}

/** A wait as people say it: "40 seconds", "3 minutes". */
export function waitWords(seconds: number): string {
  return seconds < 60 ? counted(Math.max(1, Math.ceil(seconds)), 'second') : counted(Math.ceil(seconds / 60), 'minute');
}
