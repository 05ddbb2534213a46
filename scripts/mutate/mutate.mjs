import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../checkout/checkout.mjs';
import { ensureInstalled } from '../checkout/install.mjs';
import { endCommands } from '../checkout/run-command.mjs';
import { Refusal, say, sayWhatFailed } from '../checkout/terminal.mjs';
import { Bench } from './bench.mjs';
import { listMutants } from './list-mutants.mjs';
import { changeOperators } from './operators.mjs';
import { findWrongPlace } from './places.mjs';
import { report, reportOperators } from './report.mjs';
import { Verdicts } from './verdicts.mjs';

/**
 * `npm run mutate`: would the tests notice? Takes one rule of the platform away at a time, in a copy of the tree or in the
 * test database, runs the tests that are said to hold it, and says which mutants nobody noticed. What is known already is
 * not run again until the mutant, what it changes, or its tests have changed.
 */

const HELP = `Usage: npm run mutate -- [options]

  --only WORDS     mutants whose name, file or test holds WORDS
  --seconds N      begins no further mutant after N seconds; the next run goes on from there
  --jobs N         mutants tried at the same time (default 1)
  --again          tries them whatever is known
  --operators      changes the operators of pure files instead, by StrykerJS, which it installs below .data
  --list           names them, with what is known and what has lost its place, and tries none
  --help           shows this`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '86400' },
    jobs: { type: 'string', default: '1' },
    again: { type: 'boolean', default: false },
    operators: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @type {Bench[]} */
const benches = [];
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.once(signal, () => void end().then(() => process.exit(130)));

try {
  process.exitCode = values.help ? help() : await main();
} catch (error) {
  sayWhatFailed(error);
  process.exitCode = 1;
} finally {
  await end();
}

function help() {
  say(HELP);
  return 0;
}

/** @returns {Promise<number>} exit code: 1 while fewer than 95 of 100 are noticed, or a mutant has lost its place */
async function main() {
  await ensureInstalled();
  if (values.operators)
    return reportOperators(await changeOperators({ only: values.only, jobs: Number(values.jobs) }, say), say);
  const mutants = listMutants().filter((mutant) => JSON.stringify(mutant).includes(values.only));
  if (mutants.length === 0) throw new Refusal(`No mutant has to do with ${values.only}.`);
  const verdicts = new Verdicts(join(ROOT, '.data', 'mutate', 'verdicts.json'));
  const until = performance.now() + Number(values.seconds) * 1000;
  // What had no place may have one now: that hangs on more than its own files.
  const isKnown = (/** @type {(typeof mutants)[number]} */ mutant) =>
    !values.again && (verdicts.of(mutant)?.outcome ?? 'no place') !== 'no place';
  const waiting = values.list ? [] : mutants.filter((mutant) => !isKnown(mutant));
  // In an order without a meaning: what was tried so far stands for all of them.
  waiting.sort((one, other) => (digest(one.name) < digest(other.name) ? -1 : 1));
  const jobs = Math.min(Number(values.jobs), waiting.length);
  await Promise.all(
    Array.from({ length: jobs }, async (_, number) => {
      const bench = await Bench.open(join(ROOT, '.data', 'mutate', `tree-${number}`));
      benches.push(bench);
      for (let next = waiting.shift(); next !== undefined && performance.now() < until; next = waiting.shift()) {
        const verdict = await bench.tryOne(next);
        verdicts.keep(next, verdict);
        say(`${verdict.outcome.padEnd(8)} ${next.name}${verdict.by === '' ? '' : `\n         ${verdict.by}`}`);
      }
    }),
  );
  for (const mutant of values.list ? mutants : []) {
    const wrong = findWrongPlace(ROOT, mutant);
    say(
      `${(wrong === null ? (verdicts.of(mutant)?.outcome ?? '') : 'no place').padEnd(8)} ${mutant.name}${wrong === null ? '' : `: ${wrong}`}`,
    );
  }
  return report(mutants, verdicts, say);
}

/** @param {string} name */
function digest(name) {
  return createHash('sha256').update(name).digest('hex');
}

async function end() {
  await endCommands();
  for (const bench of benches.splice(0)) await bench.close();
  rmSync(join(ROOT, '.data', 'mutate', 'tmp'), { recursive: true, force: true });
}
