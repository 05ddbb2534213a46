import { sixDigits } from '@case-platform/words/sign-in/codes';

/** Six digits are sent as a code, and any other text as a backup code (TWO-FACTOR-9). */
export function codeField(text: string): { code: string } | { backup_code: string } {
  const trimmed = text.trim();
  const code = sixDigits(text);
  return code === null ? { backup_code: trimmed } : { code };
}
