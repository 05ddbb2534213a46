import { parseArgs } from 'node:util';

/** Large tables take long. */
export const COPY_WITHIN_MS = 12 * 3_600_000;

/** Reads the argument of `backup` or `restore`. @throws with the usage. */
export function readFolder(name: 'to' | 'from', usage: string): string {
  try {
    const folder = parseArgs({ options: { [name]: { type: 'string' } } }).values[name];
    if (typeof folder === 'string' && folder !== '') return folder;
  } catch {
    // The usage below answers unknown arguments and missing values.
  }
  throw new Error(`Use: ${usage}`);
}
