import { counted } from './counts.ts';
import { exactDayWords } from './day-words.ts';
import { type Clock, dayOf } from './days.ts';
import { moneyWords } from './money.ts';

interface ShownAccount {
  /** Opaque; an approval names it. */
  version: string;
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
export function accountChangeWords(name: string, account: Omit<ShownAccount, 'version'> | null, clock: Clock): string | null {
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
  account: Omit<ShownAccount, 'version' | 'changed_since_approval'>;
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

/** The question that the reader can change before sending it. */
export function accountQuestionWords(
  payee: string,
  { changed_at, last_four }: Pick<ShownAccount, 'changed_at' | 'last_four'>,
  clock: Clock,
): string {
  const day = exactDayWords(dayOf(new Date(changed_at).getTime(), clock.zone), clock);
  return `Hi ${firstNameOf(payee)}, on ${day} your bank account was changed to one ending in ${last_four}. Was that you?`;
}

/** The fields of a request that decide about its card. */
interface WaitingRequest {
  status: string;
  amount_cents: number;
  payee: { user_id: number; name: string };
  payee_account: ShownAccount | null;
  not_payable: object | null;
  covered: boolean | null;
  benefit?: { over_by_cents: number } | null;
  alarm: object | null;
}

/** The requests of one payee that wait for the reader and were approved for the payee's previous account (BANK-9). */
export interface AccountChange<Request extends WaitingRequest> {
  payee: Request['payee'];
  account: NonNullable<Request['payee_account']>;
  payments: Request[];
  total_cents: number;
  /** Those of the payments that can be approved together, because nothing stops them and they need no reason. */
  together: Request[];
  /** The reader's own alarm about the payee, or one that staff may see. */
  alarm: Request['alarm'];
}

/** Groups the requests that wait for the reader by payee, in the order of their first request. */
export function groupAccountChanges<Request extends WaitingRequest>(waiting: readonly Request[]): AccountChange<Request>[] {
  const requests = waiting.filter(isForChangedAccount);
  return [...Map.groupBy(requests, ({ payee }) => payee.user_id).values()].flatMap((payments) => {
    const [first] = payments;
    if (first?.payee_account == null) return [];
    const { payee, payee_account: account, alarm } = first;
    return { payee, account, payments, total_cents: totalOf(payments), together: payments.filter(isSimple), alarm };
  });
}

/** True if the request waits for an approval for another account than it was approved for, so that a card shows it. */
export function isForChangedAccount({ status, payee_account }: Pick<WaitingRequest, 'status' | 'payee_account'>): boolean {
  return status === 'submitted' && payee_account?.changed_since_approval === true;
}

function isSimple({ not_payable, covered, benefit }: WaitingRequest): boolean {
  return not_payable === null && covered !== false && (benefit?.over_by_cents ?? 0) === 0;
}

export function totalOf(payments: readonly Pick<WaitingRequest, 'amount_cents'>[]): number {
  return payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}

/** The first word of a name, for buttons such as "Ask Sarah". */
export function firstNameOf(name: string): string {
  return name.trim().split(/\s/, 1)[0] ?? name;
}
