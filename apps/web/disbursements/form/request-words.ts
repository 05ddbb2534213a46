import { dayInText, exactDayWords } from '@case-platform/words/day-words';
import { type Clock, dayOf } from '@case-platform/words/days';
import { moneyWords, readDollars } from '@case-platform/words/money';
import { timeWords } from '@case-platform/words/times';
import type { Payee } from '../../api/api-shapes.ts';

interface Outlook {
  /** The chosen payee; undefined until one is chosen. */
  payee: Payee | undefined;
  /** The amount as typed. */
  amount: string;
  /** The money that the case has available; null for readers who may not see it (FUNDS-4). */
  available_cents: number | null;
  /** The reader's id. */
  me: number;
}

/** Says who decides about the request, and when the money arrives: the last line of its form (REQUEST-20). */
export function outlookWords({ payee, amount, available_cents, me }: Outlook, clock: Clock): string | null {
  if (payee === undefined) return null;
  return `${payee.approver?.name ?? 'Our team'} decides. ${arrivalWords({ payee, amount, available_cents, me }, clock)}`.trimEnd();
}

function arrivalWords({ payee, amount, available_cents, me }: Outlook & { payee: Payee }, clock: Clock): string {
  const cents = readDollars(amount) ?? 0;
  if (available_cents !== null && cents > available_cents)
    return `The case has ${moneyWords(Math.max(available_cents, 0))} available, so it can be approved after a deposit.`;
  if (payee.why !== null) return payee.why;
  const { arrives, decide_by, needs_account } = payee;
  // A page that stays open past the deadline shows no date until it is refreshed.
  if (arrives === null || decide_by === null || Date.parse(decide_by) <= new Date(clock.now).getTime()) return '';
  const account = needs_account ? ` and ${payee.user_id === me ? 'you add' : `${payee.name} adds`} a bank account` : '';
  return `Arrives ${exactDayWords(arrives.date, clock)} if it’s approved${account} by ${deadlineWords(decide_by, clock)}.`;
}

/** "11 AM tomorrow", "2:30 PM on Fri, Nov 27". */
function deadlineWords(at: string, clock: Clock): string {
  return `${timeWords(at, clock).replace(':00', '')} ${dayInText(dayOf(at, clock.zone), clock)}`;
}

/** The words of the button that sends the request: "Send $300.00 to Paige". */
export function sendWords(amount: string, payee: Payee | undefined): string {
  const cents = readDollars(amount);
  const what = cents === null ? '' : ` ${moneyWords(cents)}`;
  const whom = payee?.approver == null ? 'for approval' : `to ${payee.approver.name.split(' ')[0]}`;
  return `Send${what} ${whom}`;
}
