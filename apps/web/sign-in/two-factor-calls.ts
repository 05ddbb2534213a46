import 'client-only';
import { apiBrowser } from '../api/api-browser.ts';
import type { TotpSetup, TwoFactorOn } from '../api/api-shapes.ts';
import { codeField } from '../session/code-field.ts';

const PATH = '/api/user/me/two-factor';

/** Begins the app method: the seed to scan. */
export function beginApp(): Promise<TotpSetup> {
  return apiBrowser<TotpSetup>(PATH, { method: 'POST', body: { method: 'app' } });
}

/** Sends a code by email or text message: for turning the method on, or off. */
export async function sendChangeCode(method: 'email' | 'sms'): Promise<void> {
  await apiBrowser(PATH, { method: 'POST', body: { method } });
}

/** Turns on the method that was begun last. */
export function confirmTwoFactor(code: string): Promise<TwoFactorOn> {
  return apiBrowser<TwoFactorOn>(`${PATH}/confirm`, { method: 'POST', body: { code } });
}

/** Turns the method off that is on, by a code or a backup code. */
export async function disableTwoFactor(code: string): Promise<void> {
  await apiBrowser(PATH, { method: 'DELETE', body: codeField(code) });
}
