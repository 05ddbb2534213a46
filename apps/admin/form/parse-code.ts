import { invalid } from '@case-platform/lib/errors';
import type { CodeAnswer, TwoFactorMethod } from '@case-platform/modules/accounts';
import { sixDigits } from '@case-platform/words/sign-in/codes';

const BACKUP_CODE = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i;

/**
 * Parses a code as people type or paste it. The app method also accepts a backup code, which is longer
 * (TWO-FACTOR-9).
 * @throws {InvalidInputError} for anything that cannot be a code, which does not count as an attempt.
 */
export function parseCode(text: string, method: TwoFactorMethod): CodeAnswer {
  const code = sixDigits(text);
  if (code !== null) return { code };
  const backup_code = text.replaceAll(/\s+/g, '');
  if (method === 'app' && BACKUP_CODE.test(backup_code)) return { backup_code };
  throw invalid(
    'code',
    method === 'app' ? 'Enter the six-digit code, or a ten-character backup code.' : 'Enter all six digits of the code.',
  );
}
