import { counted } from '@case-platform/words/counts';
import { monthWords } from '@case-platform/words/day-words';
import { listInWords, sentence } from '@case-platform/words/sentence';
import type { Home } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';

type Drafts = Pick<Home, 'drafts'>;

/** Requests of the reader that were sent once and have to be sent again, for example after a change of bank account. */
export function listToSendAgain({ drafts }: Drafts): Home['drafts'] {
  return drafts.filter(({ whereabouts }) => whereabouts.state === 'send_again');
}

export function listUnsent({ drafts }: Drafts): Home['drafts'] {
  return drafts.filter(({ whereabouts }) => whereabouts.state !== 'send_again');
}

/** Says in one sentence what waits for the reader (HOME-2). A returned payment waits for its payee. */
export function waitingWords(home: Home, me: Pick<Me, 'id'>): string {
  const { decisions, unread_chains } = home;
  const returned = home.returned.filter(({ payee }) => payee.user_id === me.id);
  const account = home.incoming?.account ?? null;
  const [again, unsent] = [listToSendAgain(home), listUnsent(home)];
  const parts = [
    account !== null && (account === 'add' ? 'Your bank account' : 'A change of your bank account'),
    decisions.length > 0 && counted(decisions.length, 'request'),
    again.length > 0 && `${counted(again.length, 'request')} to send again`,
    returned.length > 0 && counted(returned.length, 'returned payment'),
    unread_chains > 0 && counted(unread_chains, 'conversation'),
    unsent.length > 0 && counted(unsent.length, 'draft'),
  ].filter((part) => part !== false);
  if (parts.length === 0) {
    if (home.returned.length === 0) return 'You’re all caught up.';
    return `Nothing is waiting for you. The bank sent back ${counted(home.returned.length, 'payment')}.`;
  }
  const count = decisions.length + again.length + returned.length + unread_chains + unsent.length;
  const verb = count + (account === null ? 0 : 1) === 1 ? 'is' : 'are';
  return sentence(`${listInWords(parts)} ${verb} waiting for you.`);
}

/** How long the available money lasts: 'Enough until March 2027'. Null if nothing is planned. */
export function enoughWords(
  { planned_cents, shortfall }: { planned_cents: number; shortfall: { month: string } | null },
  today: string,
): string | null {
  if (shortfall === null) return planned_cents === 0 ? null : 'Enough for everything that’s planned';
  if (shortfall.month <= today.slice(0, 7)) return `Not enough for ${monthWords(shortfall.month)}`;
  return `Enough until ${monthWords(shortfall.month)}`;
}
