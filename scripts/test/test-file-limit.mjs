import { relative } from 'node:path';

/**
 * Loaded into each test process: a file that does not end, a hook of it that waits for ever included, is ended and named. Node's
 * own limit is for tests alone, and would leave the process to whoever waits for all of them.
 */
const WITHIN_MS = Number(process.env.TEST_FILE_WITHIN_MS ?? 15 * 60_000);

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  setTimeout(() => {
    const file = relative('', process.argv[1] ?? '');
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`${file} did not end within ${WITHIN_MS / 1000} s. Still open: ${open}.\n`);
    process.exit(1);
  }, WITHIN_MS).unref();
}
