import { invalid } from '@case-platform/lib/errors';
import type { CodeAnswer, TwoFactorMethod } from '@case-platform/modules/accounts';

const SIX_DIGITS = /^\d{6}$/;
const BACKUP_CODE = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i;

/**
 * Parses a code as people type or paste it, ignoring spaces. The app method also accepts a backup code, which is longer
 * (TWO-FACTOR-9).
 * @throws {InvalidInputError} for anything that cannot be a code, which does not count as an attempt.
 */
export function parseCode(text: string, method: TwoFactorMethod): CodeAnswer {
  const code = text.replaceAll(/\s+/g, '');
  if (SIX_DIGITS.test(code)) return { code };
  if (method === 'app' && BACKUP_CODE.test(code)) return { backup_code: code };
  throw invalid(
    'code',
    method === 'app' ? 'Enter the six-digit code, or a ten-character backup code.' : 'Enter all six digits of the code.',
  );
}
