import { invalid } from '@case-platform/lib/errors';
import type { CodeAnswer, TwoFactorMethod } from '@case-platform/modules/accounts';

const SIX_DIGITS = /^\d{6}$/;
const BACKUP_CODE = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i;

/**
 * A code as people type or paste it: spaces do not count. The app method also takes a backup code, which the same field tells
 * apart by its length (decisions, section 12).
 * @throws {InvalidInputError} for what cannot be a code; that is not a try.
 */
export function readCode(text: string, method: TwoFactorMethod): CodeAnswer {
  const code = text.replaceAll(/\s+/g, '');
  if (SIX_DIGITS.test(code)) return { code };
  if (method === 'app' && BACKUP_CODE.test(code)) return { backup_code: code };
  throw invalid(
    'code',
    method === 'app' ? 'A code has six digits, a backup code ten characters.' : 'A code has six digits.',
  );
}
