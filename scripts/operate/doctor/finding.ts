/** What a check has found, in one line; `advice`: what to do about it. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  found: string;
  advice?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const warn = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warn',
  found,
  advice,
});
export const fail = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'fail',
  found,
  advice,
});

/** What failed, without an address or a password: its code, or the first line of what it says. */
export function reasonOf(error: unknown): string {
  const {
    code,
    cause,
    name,
    message = '',
  } = error as { code?: string; cause?: unknown; name?: string; message?: string };
  if (code !== undefined && code !== '') return String(code);
  if (cause !== undefined) return reasonOf(cause);
  return message.split('\n', 1)[0] || (name ?? 'unknown reason');
}
