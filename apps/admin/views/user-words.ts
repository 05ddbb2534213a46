import { html } from '@case-platform/lib/html';
import type { TwoFactorMethod, UserStatus } from '@case-platform/modules/accounts';

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
export function userState(status: UserStatus): string {
  return html`<span class="state-pill ${STATES[status].look}">${userStateWords(status)}</span>`;
}

const METHODS: Record<TwoFactorMethod, string> = {
  app: 'By an authenticator app',
  email: 'By email',
  sms: 'By text message',
};

/** How someone gives their second factor. */
export function twoFactorWords(method: TwoFactorMethod | null): string {
  return method === null ? 'Off' : METHODS[method];
}
