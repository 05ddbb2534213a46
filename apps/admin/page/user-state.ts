import { type Html, html } from '@case-platform/lib/html';
import type { UserStatus } from '@case-platform/modules/accounts';

const STATES: Record<UserStatus, { words: string; look: string }> = {
  invited: { words: 'Invited', look: 'is-waiting' },
  active: { words: 'Active', look: 'is-active' },
  deactivated: { words: 'Deactivated', look: 'is-refused' },
};

/** The state of an account in words. */
export function userStateWords(status: UserStatus): string {
  return STATES[status].words;
}

/** The state of an account as a pill. */
export function userState(status: UserStatus): Html {
  return html`<span class="state-pill ${STATES[status].look}">${userStateWords(status)}</span>`;
}
