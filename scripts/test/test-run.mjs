import { availableParallelism } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { say } from '../checkout/terminal.mjs';

const TEST_WITHIN_MS = 180_000;
/** Ends a file that does not end. */
export const FILE_LIMIT = `--import=${new URL('test-file-limit.mjs', import.meta.url)}`;
/** For all of them: a test process that does not end by itself must not hold a build machine for ever. */
const ALL_WITHIN_MS = 45 * 60_000;
const SUMMARY_LINE = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/;

/**
 * Runs test files: first the light ones, which wait for the database half of their time, two a core; then those that start a
 * platform or a browser, one a core. Their reports become one. With a seed they come in its order, files and tests of each:
 * none relies on what another one left behind.
 * @param {object} run
 * @param {string[]} run.files
 * @param {string[]} run.heavyFiles those of the files that start several processes
 * @param {string[]} run.options for `node --test`
 * @param {number | null} run.seed
 * @param {NodeJS.ProcessEnv} run.env
 * @param {string[]} run.notes shown before the summary, which closes everything
 * @returns {Promise<number>} exit code: of the first run that failed
 */
export async function runTestFiles({ files, heavyFiles, options, seed, env, notes }) {
  const cores = availableParallelism();
  const light = files.filter((file) => !heavyFiles.includes(file));
  const heavy = files.filter((file) => heavyFiles.includes(file));
  const report = new Report(say);
  const order = seed === null ? options : ['--test-randomize', `--test-random-seed=${seed}`, ...options];
  const codes = [
    await runAtOnce(light, 2 * cores, order, env, report),
    await runAtOnce(heavy, cores, order, env, report),
  ];
  if (seed !== null) notes.push(`The order was random; this repeats it: npm test -- --test-random-seed=${seed}`);
  report.close(notes);
  return codes.find((code) => code !== 0) ?? 0;
}

/**
 * @param {string[]} files
 * @param {number} concurrency
 * @param {string[]} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Report} report
 */
async function runAtOnce(files, concurrency, options, env, report) {
  if (files.length === 0) return 0;
  const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${TEST_WITHIN_MS}`, FILE_LIMIT];
  report.begin();
  const { code } = await runCommand(pinnedNode(), ['--test', '--test-reporter=spec', ...limits, ...options, ...files], {
    cwd: ROOT,
    env: { ...env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
    withinMs: ALL_WITHIN_MS,
    onLine: (line) => report.take(line),
  });
  return code;
}

/** Shows the lines of one run after the other; adds up their summaries and keeps what follows these until the end. */
export class Report {
  #show;
  #inSummary = false;
  /** @type {Map<string, number>} */
  #totals = new Map();
  /** @type {string[]} */
  #failures = [];

  /** @param {(line: string) => void} show */
  constructor(show) {
    this.#show = show;
  }

  begin() {
    this.#inSummary = false;
  }

  /** @param {string} line as node's spec reporter writes it */
  take(line) {
    const [, name, value] = SUMMARY_LINE.exec(stripVTControlCharacters(line)) ?? [];
    if (name !== undefined) {
      this.#inSummary = true;
      this.#totals.set(name, (this.#totals.get(name) ?? 0) + Number(value));
    } else if (this.#inSummary) this.#failures.push(line);
    else this.#show(line);
  }

  /** @param {string[]} notes */
  close(notes) {
    for (const note of notes) this.#show(`\n${note}\n`);
    for (const [name, value] of this.#totals) this.#show(`ℹ ${name} ${Math.round(value)}`);
    for (const line of this.#failures) this.#show(line);
  }
}
