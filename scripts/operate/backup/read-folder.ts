import { parseArgs } from 'node:util';

/** A table may be large. */
export const COPY_WITHIN_MS = 12 * 3_600_000;

/** The one argument of both programs. @throws with how to call them. */
export function readFolder(name: 'to' | 'from', usage: string): string {
  try {
    const folder = parseArgs({ options: { [name]: { type: 'string' } } }).values[name];
    if (typeof folder === 'string' && folder !== '') return folder;
  } catch {
    // Whatever is unknown or lacks its value: the line below says what is known.
  }
  throw new Error(`Use: ${usage}`);
}
