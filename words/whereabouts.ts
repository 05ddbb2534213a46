import { fullDayWords } from './day-words.ts';

/** The labels and looks of the places where a payment can be, for every page, list, and API answer (WHERE-1). */
const PLACES = {
  draft: { label: 'Draft', mark: '' },
  waiting_for_approval: { label: 'Waiting for approval', mark: 'is-waiting' },
  on_hold: { label: 'Approved, on hold', mark: 'is-waiting' },
  approved: { label: 'Approved', mark: 'is-active' },
  being_sent: { label: 'Being sent', mark: 'is-active' },
  at_the_bank: { label: 'At the bank', mark: 'is-active' },
  paid: { label: 'Paid', mark: 'is-done' },
  send_again: { label: 'Send again', mark: 'is-waiting' },
  returned: { label: 'Sent back by the bank', mark: 'is-refused' },
  denied: { label: 'Denied', mark: 'is-refused' },
  cancelled: { label: 'Cancelled', mark: '' },
  ended: { label: 'Ended', mark: '' },
} as const;
export type Place = keyof typeof PLACES;

export const PLACE_NAMES = Object.keys(PLACES) as Place[];

export function placeInWords(place: Place): { label: string; mark: (typeof PLACES)[Place]['mark'] } {
  return PLACES[place];
}

/** Why the arrival day of a payment moved (WHERE-3). */
const MOVED = {
  not_approved: 'It wasn’t approved in time for the earlier day.',
  not_sent: 'It didn’t go to the bank in time for the earlier day.',
  no_account: 'The payee hasn’t added a bank account yet.',
  late_file: 'The bank didn’t get the file in time.',
  taken_out: 'It was taken out of a bank transfer and goes into a later one.',
  account_changed: 'The payee’s bank account changed, and a new account has to wait before it’s used.',
  account_waits: 'The payee’s bank account can’t be used yet.',
  stopped: 'It can’t be paid for now. The request shows what has to happen first.',
  resumed: 'It can be paid again.',
  sooner: 'It goes to the bank earlier than planned.',
} as const;
export type MovedBecause = keyof typeof MOVED;

/** While a person has not acted, the day passes every day. People are notified of the first move only. */
export const PASSES_AGAIN: readonly MovedBecause[] = ['not_approved', 'no_account'];

export function movedInWords(because: MovedBecause): string {
  return MOVED[because];
}

/**
 * Says in a mail when an approved payment arrives: "It should arrive on Monday, November 30, 2026." An open condition, or the reason
 * why no day is known, is a part of it.
 */
export function arrivalSentences(place: {
  state: Place;
  arrives: { date: string; if: string | null } | null;
  why: string | null;
}): string {
  const { state, arrives, why } = place;
  const reason = state === 'on_hold' || arrives === null ? why : null;
  if (arrives === null) return `${reason === null ? '' : `${reason} `}The request shows the day as soon as there is one.`;
  const condition = arrives.if === null ? '' : ` if ${arrives.if}`;
  return `${reason === null ? '' : `${reason} `}It ${arrivalVerb(place)} on ${fullDayWords(arrives.date)}${condition}.`;
}

/** The verb before the arrival day: the money arrived, the bank has it, a condition is open, or it is on its way to the bank. */
export function arrivalVerb({ state, arrives }: { state: Place; arrives: { if: string | null } | null }): string {
  if (state === 'paid') return 'arrived';
  if (state === 'at_the_bank') return 'arrives';
  return arrives?.if == null ? 'should arrive' : 'would arrive';
}

export interface PlaceStep {
  words: string;
  state: 'done' | 'now' | 'refused' | 'ahead';
}

const LIFE = ['Draft', 'Sent', 'Approved', 'To the bank', 'Paid'];
/** The number of steps that are done at each place. */
const DONE: Record<Place, number> = {
  draft: 0,
  send_again: 0,
  waiting_for_approval: 1,
  approved: 2,
  on_hold: 2,
  being_sent: 3,
  at_the_bank: 3,
  paid: 5,
  denied: 2,
  returned: 4,
  cancelled: 1,
  ended: 4,
};
const ENDS: readonly Place[] = ['denied', 'returned', 'cancelled', 'ended'];
/** Places whose own name says more than that of the step. */
const NAMED: readonly Place[] = ['send_again', 'on_hold', 'being_sent', 'at_the_bank'];

/** The steps of a request that are done, current, and ahead, or the steps up to where it ended unpaid. */
export function placeSteps(place: Place, wasSubmitted: boolean): PlaceStep[] {
  const { label } = PLACES[place];
  const done = place === 'cancelled' && wasSubmitted ? DONE[place] + 1 : DONE[place];
  const steps = LIFE.map((words, at): PlaceStep => ({ words, state: at < done ? 'done' : at === done ? 'now' : 'ahead' }));
  if (ENDS.includes(place)) return [...steps.slice(0, done), { words: label, state: 'refused' }];
  return NAMED.includes(place) ? steps.with(done, { words: label, state: 'now' }) : steps;
}
