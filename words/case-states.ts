import { sentence } from './sentence.ts';

interface State {
  words: string;
  /** The look of the pill that shows it. */
  mark: '' | 'is-waiting' | 'is-active';
}

const STATES = {
  intake: { words: 'Intake', mark: '' },
  pending_funding: { words: 'Waiting for funds', mark: 'is-waiting' },
  active: { words: 'Active', mark: 'is-active' },
  on_hold: { words: 'On hold', mark: 'is-waiting' },
  closing: { words: 'Closing', mark: '' },
  closed: { words: 'Closed', mark: '' },
  cancelled: { words: 'Cancelled', mark: '' },
} as const satisfies Record<string, State>;
const BY_STATE = new Map<string, State>(Object.entries(STATES));

/** Every state, in the order in which a case goes through them. */
export const CASE_STATES = Object.keys(STATES) as (keyof typeof STATES)[];

/** A state that only a newer API knows is at least readable. */
export function caseStateInWords(status: string): State {
  return BY_STATE.get(status) ?? { words: sentence(status), mark: '' };
}
