import { relative } from 'node:path';

/**
 * Loaded into each test process. Ends and names a file that does not end, even if a hook waits forever. Node's own limit is only
 * for tests and would leave such a process running.
 */
const WITHIN_MS = 15 * 60_000;

/** @type {NodeJS.Timeout | undefined} */
let limit;
let named = '';

if (process.env.NODE_TEST_CONTEXT !== undefined) limitFile(relative('', process.argv[1] ?? ''));

/**
 * Restarts the limit for the file that runs now.
 * @param {string} [file] by default the same file as before
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
