import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { PURE_FILES } from './pure-files.mjs';

/**
 * @typedef {object} Operator an operator, a literal or a branch of a file that was changed
 * @property {string} file
 * @property {number} line
 * @property {string} kind as StrykerJS names it
 * @property {string} put what stood there instead
 * @property {boolean} noticed
 */

/** StrykerJS comes when it is asked for: it is larger than what `npm ci` should bring to everybody. */
const STRYKER = '@stryker-mutator/core@10.1.1';
const FOLDER = join(ROOT, '.data', 'mutate');
const FILE_WITHIN_MS = 30 * 60_000;
const MUTANT_WITHIN_MS = 20_000;

/**
 * Changes the operators, literals and branches of the pure files that matter one at a time, by StrykerJS. The tests that lie
 * beside a file, run without a server, are to notice. Texts stay as they are: what people read is no rule.
 * @param {object} wanted
 * @param {string} wanted.only files whose path holds this
 * @param {number} wanted.jobs mutants at the same time
 * @param {(line: string) => void} say
 * @returns {Promise<Operator[]>}
 * @throws {Refusal} when StrykerJS cannot be had, or a file's tests fail as it is
 */
export async function changeOperators({ only, jobs }, say) {
  const files = PURE_FILES.filter((file) => file.includes(only));
  if (files.length === 0) throw new Refusal(`No pure file has to do with ${only}.`);
  const program = await installStryker();
  /** @type {Operator[]} */
  const all = [];
  for (const file of files) {
    const found = await changeFile(program, file, jobs);
    say(`${found.filter(({ noticed }) => noticed).length} of ${found.length} noticed in ${file}`);
    for (const { line, kind, put } of found.filter(({ noticed }) => !noticed)) say(`         ${line}: ${kind}: ${put}`);
    all.push(...found);
  }
  return all;
}

/** @returns {Promise<string>} the program's path */
async function installStryker() {
  const prefix = join(FOLDER, 'stryker');
  const program = join(prefix, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  if (existsSync(program)) return program;
  mkdirSync(prefix, { recursive: true });
  const { code, output } = await runCommand('npm', ['install', '--no-audit', '--no-fund', '--prefix', prefix, STRYKER]);
  if (code !== 0) throw new Refusal(`StrykerJS could not be installed.\n${output}`);
  return program;
}

/**
 * @param {string} program
 * @param {string} file
 * @param {number} jobs
 * @returns {Promise<Operator[]>}
 */
async function changeFile(program, file, jobs) {
  const answer = join(FOLDER, 'operators.json');
  const settings = join(FOLDER, 'stryker.json');
  rmSync(answer, { force: true });
  const test = file.replace(/\.(ts|mjs)$/, '.test.$1');
  writeFileSync(
    settings,
    JSON.stringify({
      testRunner: 'command',
      commandRunner: { command: `node ${test}` },
      mutate: [file],
      mutator: { excludedMutations: ['StringLiteral'] },
      concurrency: jobs,
      timeoutMS: MUTANT_WITHIN_MS,
      reporters: ['json'],
      jsonReporter: { fileName: relative(ROOT, answer) },
      tempDirName: relative(ROOT, join(FOLDER, 'stryker-tree')),
      ignorePatterns: ['.data', '**/.next'],
    }),
  );
  const node = pinnedNode();
  const { code, output } = await runCommand(node, [program, 'run', relative(ROOT, settings)], {
    cwd: ROOT,
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, NODE_ENV: 'test' },
    withinMs: FILE_WITHIN_MS,
  });
  if (!existsSync(answer)) throw new Refusal(`StrykerJS ended with ${code} at ${file}.\n${output}`);
  /** @type {{ files: Record<string, { mutants: { status: string, mutatorName: string, replacement: string, location: { start: { line: number } } }[] }> }} */
  const { files } = JSON.parse(readFileSync(answer, 'utf8'));
  return Object.values(files)
    .flatMap(({ mutants }) => mutants)
    .filter(({ status }) => /^(Killed|Timeout|Survived|NoCoverage)$/.test(status))
    .map(({ status, mutatorName, replacement, location }) => ({
      file,
      line: location.start.line,
      kind: mutatorName,
      put: replacement.replaceAll(/\s+/g, ' ').slice(0, 120),
      noticed: status === 'Killed' || status === 'Timeout',
    }));
}
