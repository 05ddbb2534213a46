import { counted } from './counts.ts';
import { exactDayWords } from './day-words.ts';
import { type Clock, dayOf } from './days.ts';
import { moneyWords } from './money.ts';

interface ShownAccount {
  last_four: string;
  previous_last_four: string | null;
  changed_at: string | Date;
  changed_since_approval: boolean;
}

/** How long a change of account is pointed out to the approver. */
const RECENT_MS = 30 * 86_400_000;

/**
 * The warning for an approver when the payee's account changed since an earlier approval, or within 30 days (BANK-9); null if
 * there is nothing to warn about.
 */
export function accountChangeWords(name: string, account: ShownAccount | null, clock: Clock): string | null {
  if (account === null || account.previous_last_four === null) return null;
  const changed = new Date(account.changed_at);
  if (!account.changed_since_approval && new Date(clock.now).getTime() - changed.getTime() > RECENT_MS) return null;
  const day = exactDayWords(dayOf(changed.getTime(), clock.zone), clock);
  const approved = account.changed_since_approval ? ' This was approved for the previous one.' : '';
  return `${name} changed bank accounts on ${day}: …${account.previous_last_four} before, …${account.last_four} now.${approved}`;
}

/** Payments that were approved for an account that their payee has since replaced, and that wait for the same approver. */
interface ApprovedForPrevious {
  payee: string;
  account: Omit<ShownAccount, 'changed_since_approval'>;
  count: number;
  total_cents: number;
}

/** The title and text of the card on which an approver decides about all of these payments (BANK-9). */
export function changedAccountWords(
  { payee, account, count, total_cents }: ApprovedForPrevious,
  clock: Clock,
): { title: string; text: string } {
  const day = exactDayWords(dayOf(new Date(account.changed_at).getTime(), clock.zone), clock);
  const to = `…${account.last_four}`;
  const change = account.previous_last_four === null ? `It’s ${to} now.` : `From …${account.previous_last_four} to ${to}.`;
  const were = count === 1 ? 'was' : 'were';
  const approved = `${counted(count, 'payment')}, ${moneyWords(total_cents)}, ${were} approved for the previous account.`;
  return {
    title: `${payee} changed bank accounts on ${day}`,
    text: `${change} ${approved} Did ${firstNameOf(payee)} tell you?`,
  };
}

/** The first word of a name, for buttons such as "Ask Sarah". */
export function firstNameOf(name: string): string {
  return name.trim().split(/\s/, 1)[0] ?? name;
}
