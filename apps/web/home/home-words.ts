import { counted } from '@case-platform/words/counts';
import { sentence } from '@case-platform/words/sentence';
import type { Home } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

/** Says in one sentence what waits for the reader. A returned payment waits for its payee. */
export function waitingWords({ decisions, unread_chains, ...home }: Home, me: Pick<Me, 'id'>): string {
  const returned = home.returned.filter(({ payee }) => payee.user_id === me.id);
  const parts = [
    decisions.length > 0 && counted(decisions.length, 'request'),
    returned.length > 0 && counted(returned.length, 'returned payment'),
    unread_chains > 0 && counted(unread_chains, 'conversation'),
  ].filter((part) => part !== false);
  if (parts.length === 0) {
    if (home.returned.length === 0) return 'You’re all caught up.';
    return `Nothing is waiting for you. The bank sent back ${counted(home.returned.length, 'payment')}.`;
  }
  const verb = decisions.length + returned.length + unread_chains === 1 ? 'is' : 'are';
  const last = parts.pop();
  return sentence(`${parts.length > 0 ? `${parts.join(', ')} and ${last}` : last} ${verb} waiting for you.`);
}
