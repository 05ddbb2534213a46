import { invalid } from '@case-platform/lib/errors';
import type { TwoFactorMethod } from '@case-platform/modules/accounts';

const SIX_DIGITS = /^\d{6}$/;
const BACKUP_CODE = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i;

/**
 * A code as people type or paste it: spaces do not count. The app method also takes a backup code.
 * @throws {InvalidInputError} for what cannot be a code; that is not a try.
 */
export function readCode(text: string, method: TwoFactorMethod): string {
  const code = text.replaceAll(/\s+/g, '');
  if (SIX_DIGITS.test(code) || (method === 'app' && BACKUP_CODE.test(code))) return code;
  throw invalid(
    'code',
    method === 'app' ? 'A code has six digits, a backup code ten characters.' : 'A code has six digits.',
  );
}
