import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../checkout/terminal.mjs';

const MOST_BYTES = 20 * 1024 * 1024;
const WARN = 40;

/**
 * Opens a new log file for a layer and keeps the previous one. Lines that a person should see at once also go to the terminal.
 * @param {string} folder
 * @param {string} name of the layer
 * @returns {{ path: string, write: (line: string, isError?: boolean) => void }} `isError`: from standard error
 */
export function openLayerLog(folder, name) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.log`);
  if (existsSync(path)) renameSync(path, join(folder, `${name}.previous.log`));
  writeFileSync(path, '', { mode: 0o600 });
  let bytes = 0;
  const write = (/** @type {string} */ line, isError = false) => {
    if (bytes < MOST_BYTES) {
      bytes += Buffer.byteLength(line) + 1;
      appendFileSync(path, bytes < MOST_BYTES ? `${line}\n` : 'This log is full; a new one begins at the next start.\n');
    }
    const shown = forTerminal(line, isError);
    if (shown !== null) say(`[${name}] ${shown}`);
  };
  return { path, write };
}

/**
 * Returns the text that the terminal shows for a line, or null: a short form of warnings and errors, and other lines of standard
 * error as they are.
 * @param {string} line
 * @param {boolean} isError
 * @returns {string | null}
 */
export function forTerminal(line, isError) {
  if (line.trim() === '') return null;
  const otherwise = isError ? line : null;
  if (!line.startsWith('{')) return otherwise;
  try {
    const { level, msg, err, reqId, request_id = reqId } = JSON.parse(line);
    if (!(level >= WARN)) return null;
    const cause = err?.message && err.message !== msg ? `: ${err.message}` : '';
    return `${level > WARN ? 'error' : 'warning'}: ${msg ?? ''}${cause}${request_id ? ` (request ${request_id})` : ''}`;
  } catch {
    return otherwise;
  }
}
