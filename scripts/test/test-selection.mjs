import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { listSources, ROOT } from '../checkout/checkout.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { findChangedFiles, findTestsOf } from './changed-tests.mjs';

/** Files that take long come first, so that no process waits for the last one. Those of `test/worker` mostly wait. */
const PLACES = ['test/worker', 'test', 'apps', 'modules', 'lib', 'words', 'db', 'scripts', 'bench', 'chaos'];
const IS_TEST = /\.test\.(ts|mjs)$/;
const IS_BROWSER_TEST = /^test\/(web\/|admin\/accessibility\.)/;
/** Tests that start their own platform, database, or browser, or need a process without the statements of others. */
const IS_HEAVY =
  /^(test\/(web|start)|scripts)\/|^test\/(admin\/accessibility|storage\/start|operate\/replica)\.|^lib\/(database\/statement-name|redis\/open-redis|outbox\/follow-outbox)\./;
/** Options of `node --test`. */
const SEED = '--test-random-seed=';
const RANDOMIZE = '--test-randomize';
const IS_CHANGED = /^--changed(=(.+))?$/;
const NEEDS_NOTHING = /^(scripts|lib|words|test\/start)\//;
/** Matches files that use one platform or one browser in turn, directly or through the walk of a dollar. */
const TAKES_TURNS = /from '[./]+\/(support\/(stack\/shared-stack|stack\/arrive|browser)|dollar-walk)\.ts';$/m;
const USES_DATABASE = /^import .*\btest\/support\/database\.ts';$/m;

/**
 * @typedef {object} Selection
 * @property {boolean} everything no file was named, so all checks run as well
 * @property {import('./changed-tests.mjs').Change | null} change the change, when only its tests are selected
 * @property {string[]} files relative to the checkout
 * @property {string[]} leftOut browser tests that `--no-browser` leaves out
 * @property {string[]} options passed to node, such as `--test-name-pattern`
 * @property {number | null} seed of a random order of the files and of the tests in each; null for the order in the files
 * @property {boolean} noBrowser
 * @property {string[]} browserFiles those of the files that need a browser and the built web frontend
 * @property {string[]} heavyFiles those of the files that start several processes
 * @property {string[]} sharingFiles those of them that can share a platform or a browser
 * @property {boolean} needsBrowser whether any of the files needs a browser
 * @property {boolean} needsDatabase
 */

/**
 * Reads the arguments of `npm test`: files or folders, `--changed` or `--changed=COMMIT`, `--no-browser`, and options of
 * `node --test`.
 * @param {string[]} args
 * @returns {Selection}
 * @throws {Refusal} for a path without tests
 */
export function selectTests(args) {
  const { paths, options } = divide(args.filter((arg) => arg !== '--no-browser' && !IS_CHANGED.test(arg)));
  const all = [...new Set(paths.length === 0 ? PLACES.flatMap(listSources) : paths.flatMap(sourcesOf))];
  const change = readChange(args, all);
  const tests = change?.files ?? all.filter((file) => IS_TEST.test(file));
  const noBrowser = args.includes('--no-browser');
  const seed = readSeed(options);
  const leftOut = noBrowser ? tests.filter((file) => IS_BROWSER_TEST.test(file)) : [];
  const files = tests.filter((file) => !leftOut.includes(file));
  const browserFiles = files.filter((file) => IS_BROWSER_TEST.test(file));
  if (files.length === 0) throw new Refusal(`There is no test in ${paths.join(', ')}.`);
  return {
    everything: paths.length === 0 && change === null,
    change,
    files,
    leftOut,
    options: options.filter((option) => option !== RANDOMIZE && !option.startsWith(SEED)),
    seed,
    noBrowser,
    browserFiles,
    heavyFiles: files.filter((file) => IS_HEAVY.test(file)),
    sharingFiles: files.filter((file) => IS_BROWSER_TEST.test(file) && contains(file, TAKES_TURNS)),
    needsBrowser: browserFiles.length > 0,
    needsDatabase: files.some((file) => !NEEDS_NOTHING.test(file) || contains(file, USES_DATABASE)),
  };
}

/**
 * @param {string[]} args
 * @param {string[]} all source files
 */
function readChange(args, all) {
  const option = args.find((arg) => IS_CHANGED.test(arg));
  if (option === undefined) return null;
  const tests = all.filter((file) => IS_TEST.test(file));
  return findTestsOf(findChangedFiles(IS_CHANGED.exec(option)?.[2]), tests, (file) => IS_HEAVY.test(file));
}

/**
 * @param {string} file
 * @param {RegExp} pattern
 */
function contains(file, pattern) {
  return pattern.test(readFileSync(join(ROOT, file), 'utf8'));
}

/** @param {string[]} options */
function readSeed(options) {
  const named = options.find((option) => option.startsWith(SEED))?.slice(SEED.length);
  if (named === undefined) return options.includes(RANDOMIZE) ? randomInt(1_000_000) : null;
  if (!/^\d+$/.test(named)) throw new Refusal(`${SEED} takes a whole number.`);
  return Number(named);
}

/**
 * Divides the arguments. An option without `=` takes the next argument, unless that is an option or a path.
 * @param {string[]} args
 */
function divide(args) {
  /** @type {string[]} */
  const paths = [];
  /** @type {string[]} */
  const options = [];
  for (const arg of args) {
    const last = options.at(-1);
    if (arg.startsWith('-')) options.push(arg);
    else if (last?.startsWith('--') && !last.includes('=') && !existsSync(arg)) options.push(`${options.pop()}=${arg}`);
    else paths.push(arg);
  }
  return { paths, options };
}

/** @param {string} path */
function sourcesOf(path) {
  const files = listSources(relative(ROOT, resolve(path)));
  if (!files.some((file) => IS_TEST.test(file))) throw new Refusal(`There is no test in ${path}.`);
  return files;
}
