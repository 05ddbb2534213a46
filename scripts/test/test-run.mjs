import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { say } from '../checkout/terminal.mjs';

const TEST_WITHIN_MS = 180_000;
/** Load what saves the runner a hook on every promise, and the limit for files that do not end. */
const PRELOADED = ['follow-tests.mjs', 'test-file-limit.mjs'].map((name) => `--import=${new URL(name, import.meta.url)}`);
/** The limit for all files, so that a test process that does not end cannot block a build machine forever. */
const ALL_WITHIN_MS = 45 * 60_000;
const SUMMARY_LINE = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/;

/** Runs test files side by side. */
export class TestRun {
  #env;
  #order;
  #report = new Report(say);

  /**
   * @param {object} run
   * @param {string[]} run.options for `node --test`
   * @param {number | null} run.seed with one, the files and the tests of each run in a random order, which shows if one relies on
   *   another
   * @param {NodeJS.ProcessEnv} run.env
   */
  constructor({ options, seed, env }) {
    this.#env = env;
    this.#order = seed === null ? options : ['--test-randomize', `--test-random-seed=${seed}`, ...options];
  }

  /**
   * Runs files that need at most a database, one more at a time than there are cores, because they wait for it half of the time.
   * When the other files have ended, one more process for each core takes of them, so that no core is idle.
   * @param {string[]} files
   * @param {Promise<unknown>} othersEnded
   * @returns {Promise<number>} exit code
   */
  runLight(files, othersEnded) {
    return this.#run(files, [], availableParallelism() + 1, othersEnded);
  }

  /**
   * Runs files that start a platform or a browser, one for each core, and beside them one of those that do not share a platform.
   * These wait for processes to start and end, so at the end of the run, when nothing else is left, they would leave cores idle.
   * @param {string[]} files
   * @param {string[]} sharing those of them that use one platform or one browser in turn
   * @returns {Promise<number>} exit code
   */
  runHeavy(files, sharing) {
    const separate = files.filter((file) => !sharing.includes(file));
    return this.#run(
      files.filter((file) => sharing.includes(file)),
      separate,
      availableParallelism(),
    );
  }

  /**
   * Runs files in a few processes, each of which takes the next file that no other has taken. A process for each file would cost
   * half of a small file's time, and a platform for each most of a larger one's. With options, which may select tests, each file
   * has its own process.
   * @param {string[]} together files that may share a process
   * @param {string[]} separate files that need one of their own
   * @param {number} processes that share files
   * @param {Promise<unknown>} [othersEnded] after this, more processes share them
   * @returns {Promise<number>} exit code
   */
  async #run(together, separate, processes, othersEnded) {
    const part = this.#report.part();
    const [options, env] = [this.#order, this.#env];
    if (options.length > 0 || together.length <= processes) {
      return runAtOnce([...together, ...separate], processes, options, env, part);
    }
    const queue = makeQueue(together, env.TMPDIR ?? tmpdir());
    const ofQueue = { ...env, TEST_QUEUE: queue };
    const atOnce = separate.length > 0 ? processes + 1 : processes;
    let hasEnded = false;
    const run = runAtOnce([...makeTakers(queue, processes), ...separate], atOnce, options, ofQueue, part);
    const ended = run.finally(() => {
      hasEnded = true;
    });
    await Promise.race([ended, othersEnded ?? ended]);
    if (hasEnded) return run;
    const more = availableParallelism();
    const helped = runAtOnce(makeTakers(queue, more), more, options, ofQueue, this.#report.part());
    const codes = await Promise.all([run, helped]);
    return codes.find((code) => code !== 0) ?? 0;
  }

  /** @param {string[]} notes shown before the summary at the end */
  close(notes) {
    this.#report.close(notes);
  }
}

/**
 * Makes the folder of a queue of files.
 * @param {string[]} files
 * @param {string} folder
 */
function makeQueue(files, folder) {
  const queue = mkdtempSync(join(folder, 'queue-'));
  writeFileSync(join(queue, 'files.json'), JSON.stringify(files));
  mkdirSync(join(queue, 'taken'));
  return queue;
}

/**
 * Makes a file for each process that takes from a queue.
 * @param {string} queue
 * @param {number} processes
 */
function makeTakers(queue, processes) {
  const folder = mkdtempSync(join(queue, 'takers-'));
  const takers = Array.from({ length: processes }, (_, at) => join(folder, `files-${at + 1}.mjs`));
  for (const taker of takers) writeFileSync(taker, `await import('${new URL('several-files.mjs', import.meta.url)}');`);
  return takers;
}

/**
 * @param {string[]} files
 * @param {number} concurrency
 * @param {string[]} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Part} part of the report
 */
async function runAtOnce(files, concurrency, options, env, part) {
  if (files.length === 0) {
    part.end();
    return 0;
  }
  const limits = [
    '--max-semi-space-size=32',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${TEST_WITHIN_MS}`,
    ...PRELOADED,
  ];
  const { code } = await runCommand(pinnedNode(), ['--test', '--test-reporter=spec', ...limits, ...options, ...files], {
    cwd: ROOT,
    env: { ...env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
    withinMs: ALL_WITHIN_MS,
    onLine: (line) => part.take(line),
  });
  part.end();
  return code;
}

/**
 * Makes one report of several runs. Shows the lines of one run after the other, adds up their summaries, and shows the failures,
 * which follow a summary, at the end.
 */
class Report {
  #show;
  /** @type {Part[]} */
  #parts = [];

  /** @param {(line: string) => void} show */
  constructor(show) {
    this.#show = show;
  }

  /** Adds the report of one more run. */
  part() {
    const part = new Part(() => this.#showNext());
    this.#parts.push(part);
    return part;
  }

  /** Shows the new lines of the first run that has not ended, and of all runs before it. */
  #showNext() {
    for (const part of this.#parts) {
      for (const line of part.lines.splice(0)) this.#show(line);
      if (!part.hasEnded) return;
    }
  }

  /** @param {string[]} notes */
  close(notes) {
    for (const note of notes) this.#show(`\n${note}\n`);
    const names = new Set(this.#parts.flatMap(({ totals }) => [...totals.keys()]));
    for (const name of names) {
      const values = this.#parts.map(({ totals }) => totals.get(name) ?? 0);
      // The runs were side by side, so their durations are not added.
      const total = name === 'duration_ms' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
      this.#show(`ℹ ${name} ${Math.round(total)}`);
    }
    for (const { failures } of this.#parts) for (const line of failures) this.#show(line);
  }
}

class Part {
  /** @type {string[]} not shown yet */
  lines = [];
  /** @type {Map<string, number>} */
  totals = new Map();
  /** @type {string[]} */
  failures = [];
  hasEnded = false;
  #onLine;

  /** @param {() => void} onLine */
  constructor(onLine) {
    this.#onLine = onLine;
  }

  /** @param {string} line as node's spec reporter writes it */
  take(line) {
    const [, name, value] = SUMMARY_LINE.exec(stripVTControlCharacters(line)) ?? [];
    if (name !== undefined) this.totals.set(name, Number(value));
    else if (this.totals.size > 0) this.failures.push(line);
    else {
      this.lines.push(line);
      this.#onLine();
    }
  }

  end() {
    this.hasEnded = true;
    this.#onLine();
  }
}
