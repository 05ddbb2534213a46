import { execFileSync } from 'node:child_process';
import { ROOT } from '../checkout/checkout.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { AREAS } from './areas.mjs';
import { importersOf, readImports } from './import-graph.mjs';

/** Hold rules over all files, in seconds. */
const ALWAYS = [
  'test/architecture.test.ts',
  'test/house.test.ts',
  'test/style-sheets.test.ts',
  'test/tables.test.ts',
  'test/titles.test.ts',
];
/** Where an import no longer says what can break: everything hangs on these. */
const IS_HUB =
  /^(apps\/\w+\/(server|main)\.ts|apps\/worker\/(tasks|run-worker)\.ts|modules\/\w+\/index\.ts)$|^test\/(support|\w+\/start-)/;
/** Belong to no area and to all of them. */
const IS_SHARED = /^(lib|words|db|test\/support)\/|^apps\/\w+\/[\w.-]+$|^package(-lock)?\.json$/;

/**
 * @typedef {object} Change
 * @property {string[]} files test files that it can have broken
 * @property {string[]} areas that it touches
 * @property {string[]} leftOut all other test files
 * @property {boolean} everywhere it touches what all areas share
 * @property {boolean} web it touches what the web frontend is built from
 */

/**
 * What differs from a commit: by default what is not committed yet, and when all is, the last commit.
 * @param {string | undefined} since a commit, as git names it
 * @returns {string[]} files relative to the checkout, deleted ones included
 * @throws {Refusal} without git, or for a commit that it does not know
 */
export function findChangedFiles(since) {
  const git = (/** @type {string[]} */ ...args) => {
    try {
      return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).split('\0').filter(Boolean);
    } catch (error) {
      const { stderr = '' } = /** @type {{ stderr?: string }} */ (error);
      throw new Refusal(`--changed asks git, which says: ${stderr.trim() || error}`);
    }
  };
  const differing = (/** @type {string} */ commit) => git('diff', '--name-only', '--no-renames', '-z', commit, '--');
  const found = [...differing(since ?? 'HEAD'), ...git('ls-files', '--others', '--exclude-standard', '-z')];
  return found.length > 0 || since !== undefined ? [...new Set(found)].sort() : differing('HEAD~1');
}

/**
 * Which tests a change can have broken: those that import what was changed, and those that ask its area from outside. In a
 * browser only for what a browser shows, and another area's never: the whole run is for that.
 * @param {string[]} changed
 * @param {string[]} tests all test files
 * @param {(file: string) => boolean} isHeavy
 * @returns {Change}
 */
export function findTestsOf(changed, tests, isHeavy) {
  const reached = importersOf(readImports(), changed, (file) => IS_HUB.test(file));
  const areas = Object.keys(AREAS).filter((name) =>
    changed.some((file) => AREAS[name]?.code.some((folder) => isBelow(file, folder))),
  );
  const everywhere = changed.some((file) => IS_SHARED.test(file) && !tests.includes(file));
  const web = changed.some((file) => isBelow(file, 'apps/web') || isBelow(file, 'words'));
  const named = areas.flatMap((name) => AREAS[name]?.tests ?? []);
  const shown = web ? areas.flatMap((name) => AREAS[name]?.browser ?? []) : [];
  const isOfChange = (/** @type {string} */ test) => {
    if (changed.includes(test) || ALWAYS.includes(test)) return true;
    if (isHeavy(test)) return shown.includes(test) || (reached.has(test) && test.startsWith('scripts/'));
    return everywhere || reached.has(test) || named.some((path) => isBelow(test, path));
  };
  const files = tests.filter(isOfChange);
  return { files, leftOut: tests.filter((test) => !files.includes(test)), areas, everywhere, web };
}

/**
 * What is said before and after: what runs, and what does not.
 * @param {Change} change
 * @param {string[]} files that run
 * @returns {string[]}
 */
export function describeChange({ areas, everywhere, leftOut }, files) {
  const of = everywhere ? 'what all areas share' : areas.length > 0 ? areas.join(', ') : 'no area';
  const browser = leftOut.filter((file) => file.startsWith('test/web/') || file.startsWith('test/start/'));
  return [
    `CHANGED: ${of}. ${files.length} test files run.`,
    `LEFT OUT: ${leftOut.length} test files, ${browser.length} of them in a browser or of a whole platform. npm test runs all.`,
  ];
}

/**
 * @param {string} file
 * @param {string} path a folder, or the file itself
 */
function isBelow(file, path) {
  return file === path || file.startsWith(`${path}/`);
}
