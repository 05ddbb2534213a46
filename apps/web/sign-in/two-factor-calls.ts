import 'client-only';
import { isAnswerLost } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { Profile, TotpSetup, TwoFactorMethod, TwoFactorOn } from '../api/api-shapes.ts';
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

/** Turns on the method that was begun last. The backup codes are null where they got lost on their way. */
export async function confirmTwoFactor(
  code: string,
): Promise<Pick<TwoFactorOn, 'method'> & { backup_codes: string[] | null }> {
  try {
    return await apiBrowser<TwoFactorOn>(`${PATH}/confirm`, { method: 'POST', body: { code } });
  } catch (error) {
    const method = isAnswerLost(error) ? await readMethod() : null;
    if (method === null) throw error;
    return { method, backup_codes: method === 'app' ? null : [] };
  }
}

/** Turns the method off that is on, by a code or a backup code. */
export async function disableTwoFactor(code: string): Promise<void> {
  try {
    await apiBrowser(PATH, { method: 'DELETE', body: codeField(code) });
  } catch (error) {
    if (!isAnswerLost(error) || (await readMethod()) !== null) throw error;
  }
}

/** @throws {ApiError} when nobody answers this either. */
async function readMethod(): Promise<TwoFactorMethod | null> {
  const { two_factor_method: method } = await apiBrowser<Profile>('/api/user/me');
  return method as TwoFactorMethod | null;
}
