/** Six digits are sent as a code, and any other text as a backup code (TWO-FACTOR-9). */
export function codeField(text: string): { code: string } | { backup_code: string } {
  const trimmed = text.trim();
  const digits = trimmed.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(digits) ? { code: digits } : { backup_code: trimmed };
}
