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
