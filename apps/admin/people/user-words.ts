import type { TwoFactorMethod } from '@case-platform/modules/accounts';
import { sentence } from '@case-platform/words/sentence';

const METHODS: Record<TwoFactorMethod, string> = {
  app: 'By an authenticator app',
  email: 'By email',
  sms: 'By text message',
};

/** How someone gives their second factor. */
export function twoFactorWords(method: TwoFactorMethod | null): string {
  return method === null ? 'Off' : METHODS[method];
}

const ENTRIES: Record<string, string> = {
  'user.invite': 'Invited',
  'user.resend_invitation': 'Invitation sent again',
  'user.accept_invitation': 'Invitation accepted',
  'user.update': 'Record changed',
  'user.request_address': 'New email address requested',
  'user.confirm_address': 'New email address confirmed',
  'user.update_own': 'Profile changed',
  'user.ask_role': 'Staff role granted, waiting for confirmation',
  'user.assign_role': 'Staff role changed',
  'user.confirm_role': 'Staff role confirmed',
  'user.refuse_role': 'Staff role refused',
  'user.deactivate': 'Deactivated',
  'user.reactivate': 'Reactivated',
  'user.reset_two_factor': 'Two-factor sign-in reset',
  'user.two_factor_on': 'Two-factor sign-in turned on',
  'user.two_factor_off': 'Two-factor sign-in turned off',
  'user.reset_password': 'Password reset by email',
  'user.change_password': 'Password changed',
};

/** Words for changes of a person's record, by the audit log's action. */
export function userEntryWords(action: string): string {
  return ENTRIES[action] ?? sentence(action.replace(/^user\./, ''));
}
