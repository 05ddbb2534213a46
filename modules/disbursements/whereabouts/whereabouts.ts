import { longDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { waitingWords } from '@case-platform/words/disbursement-states';
import { type MovedBecause, movedInWords, PASSES_AGAIN, type Place, placeInWords } from '@case-platform/words/whereabouts';
import type { BankReturn } from '../bank-return.ts';
import type { DisbursementStatus } from '../disbursement-states.ts';
import { batchDay, CUT_OFF_HOUR, expectedBankDate } from './expected-bank-date.ts';

/** An approval was removed, because of a new bank account, or the request was changed after it was submitted. */
export type DraftAgain = keyof typeof DRAFT_AGAIN;

const DRAFT_AGAIN = {
  bank_account_changed:
    'The payee’s bank account changed after the approval. Send the request again to have it approved for the new account.',
  changed: 'It was changed after it was sent, so it has to be sent and approved again.',
};

/** The facts that decide where a payment is. */
export interface PaymentPlaceFacts {
  status: DisbursementStatus;
  status_since: Date;
  /** Why a request that was submitted is a draft; null for one that was never submitted. */
  draft_again_because: DraftAgain | null;
  submitted_by: { name: string };
  approver: { name: string } | null;
  payee: { name: string } | null;
  return: Pick<BankReturn, 'who_acts' | 'reason'> | null;
  decision_reason: string | null;
  /** True once someone recorded that the bank has the file, or a return proved it. */
  bank_has_it: boolean;
  /** The effective date of the file, `YYYY-MM-DD`. */
  bank_date: string | null;
  /** The time before which nothing is paid to the payee's account. */
  usable_from: Date | null;
  /** Why it cannot be sent to the bank now, in words; null if it can. */
  problem: string | null;
  /** True if the payee has no account. The first one that its owner enters can be used at once (BANK-1). */
  lacks_account: boolean;
  /** True if it is unknown when the money can leave, because the case has too little or an account has to be replaced. */
  has_no_date: boolean;
  /** The arrival day that people know, `YYYY-MM-DD`, and its last move; null if none was promised (WHERE-3). */
  promised: { date: string | null; before: string | null; because: MovedBecause | null } | null;
}

interface NextAction {
  kind: 'submit' | 'approve' | 'send' | 'confirm' | 'settle' | 'pay_again' | 'add_account';
  by: Actor;
}
type Actor = 'maker' | 'approver' | 'payments_team' | 'payee' | 'escrow_specialist';

/** The answer to “where is this payment?” for every page, every list, and the API (WHERE-1). */
export interface Whereabouts {
  state: Place;
  label: string;
  /** The name or team that has it now; null once it has ended. */
  holder: string | null;
  since: Date;
  /** The day, `YYYY-MM-DD`, on which the money is at the payee's bank, and the condition in words. */
  arrives: { date: string; if: string | null } | null;
  /** The earlier date if the date moved. */
  was: string | null;
  why: string | null;
  action: NextAction | null;
}

export function whereabouts(facts: PaymentPlaceFacts, now: Date): Whereabouts {
  const state = placeOf(facts);
  const { label } = placeInWords(state);
  const date = facts.has_no_date ? null : expectedBankDate(facts, now);
  return {
    state,
    label,
    ...nextStep(state, facts),
    since: facts.status_since,
    arrives: date === null ? null : { date, if: conditionOf(facts, now) },
    ...moveOf(state, facts, date),
  };
}

/** The place that the facts lead to; `problem` says why a payment cannot be sent to the bank now. */
const ON_ITS_WAY: readonly Place[] = ['waiting_for_approval', 'on_hold', 'approved', 'being_sent', 'at_the_bank'];

/** The earlier day if the day moved, also since people were last notified, and the reason for its move or its place. */
function moveOf(state: Place, facts: PaymentPlaceFacts, date: string | null): Pick<Whereabouts, 'was' | 'why'> {
  const { bank_date, status, problem, bank_has_it } = facts;
  // A file of an earlier version of the platform promised its day.
  const ofFile = status === 'batched' && bank_date !== null ? { date: bank_date, before: null, because: null } : null;
  const promised = facts.promised ?? ofFile;
  const whyHere = whyOf(state, facts);
  // A reader who sees that the case has too little gets no day, although the promised one did not move.
  if (promised === null || !ON_ITS_WAY.includes(state) || (date === null && problem === null)) return { was: null, why: whyHere };
  const { before, because } = promised;
  if (date === promised.date)
    return { was: before, why: whyHere ?? (before === null || because === null ? null : movedInWords(because)) };
  const isAgain = because !== null && PASSES_AGAIN.includes(because);
  const was = (isAgain ? before : null) ?? promised.date ?? before;
  const isLate = status === 'batched' && bank_date !== null && !bank_has_it;
  const passed: MovedBecause = status === 'submitted' ? 'not_approved' : isLate ? 'late_file' : 'not_sent';
  return { was, why: whyHere ?? (was === null ? null : movedInWords(isAgain && because !== null ? because : passed)) };
}

export function placeOf({
  status,
  draft_again_because,
  problem,
  bank_has_it,
}: Pick<PaymentPlaceFacts, 'status' | 'draft_again_because' | 'problem' | 'bank_has_it'>): Place {
  if (status === 'draft') return draft_again_because === null ? 'draft' : 'send_again';
  if (status === 'submitted') return 'waiting_for_approval';
  if (status === 'approved') return problem === null ? 'approved' : 'on_hold';
  if (status === 'batched') return bank_has_it ? 'at_the_bank' : 'being_sent';
  return status;
}

function nextStep(place: Place, facts: PaymentPlaceFacts): Pick<Whereabouts, 'holder' | 'action'> {
  const team = 'our payments team';
  switch (place) {
    case 'draft':
    case 'send_again':
      return { holder: facts.submitted_by.name, action: { kind: 'submit', by: 'maker' } };
    case 'waiting_for_approval':
      return { holder: facts.approver?.name ?? 'our staff', action: { kind: 'approve', by: 'approver' } };
    case 'approved':
      return { holder: team, action: { kind: 'send', by: 'payments_team' } };
    case 'on_hold':
      return { holder: team, action: null };
    case 'being_sent':
      return { holder: team, action: { kind: 'confirm', by: 'payments_team' } };
    case 'at_the_bank':
      return { holder: 'the bank', action: { kind: 'settle', by: 'payments_team' } };
    case 'returned':
      return facts.return?.who_acts === 'payee'
        ? { holder: facts.payee?.name ?? 'the payee', action: { kind: 'add_account', by: 'payee' } }
        : { holder: 'the escrow specialist', action: { kind: 'pay_again', by: 'escrow_specialist' } };
    default:
      return { holder: null, action: null };
  }
}

function whyOf(place: Place, facts: PaymentPlaceFacts): string | null {
  if (place === 'on_hold' || place === 'being_sent' || place === 'waiting_for_approval') return facts.problem;
  if (place === 'send_again') return facts.draft_again_because && DRAFT_AGAIN[facts.draft_again_because];
  if (place === 'returned') return facts.return?.reason ?? null;
  return place === 'denied' ? facts.decision_reason : null;
}

const WAITS_TO: Partial<Record<Place, string>> = {
  draft: 'to send it',
  send_again: 'to send it again',
  waiting_for_approval: 'to approve it',
  on_hold: 'to send it to the bank',
  approved: 'to send it to the bank',
  being_sent: 'to send it to the bank',
  at_the_bank: 'to pay it',
};

/** Says in one line who has to act on a request and since when; null once it has ended (REQUEST-14). */
export function waitingFor({ state, holder, since, action }: Whereabouts): string | null {
  if (holder === null) return null;
  const returned = action?.kind === 'add_account' ? 'to help us pay it again' : 'to pay it again';
  return waitingWords(`${holder} ${WAITS_TO[state] ?? returned}`, longDayWords(dayOf(since, 'UTC')));
}

/** The date holds only if everything that people have to do is done before the cutoff of the batch that it would go into. */
function conditionOf({ status, approver, payee, usable_from, lacks_account }: PaymentPlaceFacts, now: Date): string | null {
  const steps: string[] = [];
  if (status === 'submitted') steps.push(approver === null ? 'our staff approve it' : `${approver.name} approves it`);
  if (lacks_account) steps.push(`${payee?.name ?? 'the payee'} adds a bank account`);
  if (steps.length === 0) return null;
  const day = longDayWords(batchDay(usable_from, now));
  return `${steps.join(' and ')} by ${CUT_OFF_HOUR - 12} PM in New York on ${day}`;
}
