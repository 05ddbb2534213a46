import 'client-only';
import { isAnswerLost } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { Profile, TotpSetup, TwoFactorMethod, TwoFactorOn } from '../api/api-shapes.ts';
import { codeField } from '../session/code-field.ts';

const PATH = '/api/user/me/two-factor';

/** Begins to set up the app method. Returns the seed to scan (TWO-FACTOR-14). */
export function beginAppSetup(): Promise<TotpSetup> {
  return apiBrowser<TotpSetup>(PATH, { method: 'POST', body: { method: 'app' } });
}

/** Sends a code for turning the method on or off. */
export async function sendChangeCode(method: 'email' | 'sms'): Promise<void> {
  await apiBrowser(PATH, { method: 'POST', body: { method } });
}

/** Turns on the method that was begun last. The backup codes are null if the answer with them was lost. */
export async function confirmTwoFactor(code: string): Promise<Pick<TwoFactorOn, 'method'> & { backup_codes: string[] | null }> {
  try {
    return await apiBrowser<TwoFactorOn>(`${PATH}/confirm`, { method: 'POST', body: { code } });
  } catch (error) {
    const method = isAnswerLost(error) ? await readMethod() : null;
    if (method === null) throw error;
    return { method, backup_codes: method === 'app' ? null : [] };
  }
}

/** Turns two-factor off with a code or a backup code. If the answer is lost, the profile says whether it worked. */
export async function disableTwoFactor(code: string): Promise<void> {
  try {
    await apiBrowser(PATH, { method: 'DELETE', body: codeField(code) });
  } catch (error) {
    if (!isAnswerLost(error) || (await readMethod()) !== null) throw error;
  }
}

/** @throws {ApiError} if this call gets no answer either. */
async function readMethod(): Promise<TwoFactorMethod | null> {
  const { two_factor_method: method } = await apiBrowser<Profile>('/api/user/me');
  return method as TwoFactorMethod | null;
}
