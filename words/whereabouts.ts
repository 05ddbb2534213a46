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
