import { relative } from 'node:path';

/**
 * Loaded into each test process: a file that does not end, a hook of it that waits for ever included, is ended and named. Node's
 * own limit is for tests alone, and would leave the process to whoever waits for all of them.
 */
const WITHIN_MS = 15 * 60_000;

/** @type {NodeJS.Timeout | undefined} */
let limit;
let named = '';

if (process.env.NODE_TEST_CONTEXT !== undefined) limitFile(relative('', process.argv[1] ?? ''));

/**
 * Begins anew, for the file that is now run.
 * @param {string} [file] the one before when it is left out
 */
export function limitFile(file = named) {
  clearTimeout(limit);
  named = file;
  const withinMs = Number(process.env.TEST_FILE_WITHIN_MS ?? WITHIN_MS);
  limit = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`${file} did not end within ${withinMs / 1000} s. Still open: ${open}.\n`);
    process.exit(1);
  }, withinMs).unref();
}
