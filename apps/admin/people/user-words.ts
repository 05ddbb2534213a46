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
  'user.request_address': 'Another email address asked for',
  'user.confirm_address': 'New email address confirmed',
  'user.update_own': 'Own record changed',
  'user.ask_role': 'Staff role granted, to be confirmed',
  'user.assign_role': 'Staff role changed',
  'user.confirm_role': 'Staff role confirmed',
  'user.refuse_role': 'Staff role refused',
  'user.deactivate': 'Deactivated',
  'user.reactivate': 'Reactivated',
  'user.reset_two_factor': 'Two-factor sign-in reset',
  'user.two_factor_on': 'Two-factor sign-in turned on',
  'user.two_factor_off': 'Two-factor sign-in turned off',
  'user.reset_password': 'Password set by a mailed link',
  'user.change_password': 'Password changed',
};

/** What was done to somebody's record, by the audit log's word for it. */
export function userEntryWords(action: string): string {
  return ENTRIES[action] ?? sentence(action.replace(/^user\./, ''));
}
