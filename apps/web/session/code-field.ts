/** Six digits are a code; anything else that is given as a second factor is one of the ten backup codes. */
export function codeField(text: string): { code: string } | { backup_code: string } {
  const given = text.trim();
  const digits = given.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(digits) ? { code: digits } : { backup_code: given };
}
