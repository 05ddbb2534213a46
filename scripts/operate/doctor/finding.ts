/** The result of a check in one line, and advice on what to do about it. */
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

/** The reason for a failure without an address or password: the error's code, or the first line of its message. */
export function reasonOf(error: unknown): string {
  const { code, cause, name, message = '' } = error as { code?: string; cause?: unknown; name?: string; message?: string };
  if (code !== undefined && code !== '') return String(code);
  if (cause !== undefined) return reasonOf(cause);
  return message.split('\n', 1)[0] || (name ?? 'unknown reason');
}
