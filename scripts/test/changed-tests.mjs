import { execFileSync } from 'node:child_process';
import { ROOT } from '../checkout/checkout.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { AREAS } from './areas.mjs';

/** Tests that check rules over all files within seconds. */
const ALWAYS = [
  'test/architecture.test.ts',
  'test/house.test.ts',
  'test/style-sheets.test.ts',
  'test/tables.test.ts',
  'test/titles.test.ts',
];
/** Files that all areas share. */
const IS_SHARED = /^(lib|words|db|test\/support)\/|^apps\/\w+\/[\w.-]+$|^package(-lock)?\.json$/;

/**
 * @typedef {object} Change
 * @property {string[]} files test files that it can have broken
 * @property {string[]} areas that it touches
 * @property {string[]} leftOut all other test files
 * @property {boolean} everywhere it touches code that all areas share
 * @property {boolean} web it touches sources of the web frontend
 */

/**
 * Lists the files that differ from a commit: by default those not committed yet, or the last commit's when there are no such
 * files.
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
  const paths = [...differing(since ?? 'HEAD'), ...git('ls-files', '--others', '--exclude-standard', '-z')];
  return paths.length > 0 || since !== undefined ? [...new Set(paths)].sort() : differing('HEAD~1');
}

/**
 * Selects the tests that a change can have broken: those of the areas it touches, beside the code and from outside. Browser
 * tests run only when the web frontend changed; the full run covers the others.
 * @param {string[]} paths
 * @param {string[]} tests all test files
 * @param {(file: string) => boolean} isHeavy whether a test starts a platform or a browser
 * @returns {Change}
 */
export function findTestsOf(paths, tests, isHeavy) {
  // A changed test can only break itself.
  const sources = paths.filter((file) => !tests.includes(file));
  const areas = Object.keys(AREAS).filter((name) => sources.some((file) => isOfArea(file, name)));
  const everywhere = sources.some((file) => IS_SHARED.test(file));
  const web = paths.some((file) => isBelow(file, 'apps/web') || isBelow(file, 'words'));
  const files = tests.filter((test) => {
    if (paths.includes(test) || ALWAYS.includes(test)) return true;
    const isOfChange = areas.some((name) => isOfArea(test, name));
    return isHeavy(test) ? isOfChange && (web || test.startsWith('scripts/')) : isOfChange || everywhere;
  });
  return { files, leftOut: tests.filter((test) => !files.includes(test)), areas, everywhere, web };
}

/**
 * Describes what runs and what does not, for the lines before and after the run.
 * @param {Change} change
 * @param {string[]} files that run
 * @returns {string[]}
 */
export function describeChange({ areas, everywhere, leftOut }, files) {
  const of = everywhere ? 'code that all areas share' : areas.length > 0 ? areas.join(', ') : 'no area';
  const browser = leftOut.filter((file) => file.startsWith('test/web/') || file.startsWith('test/start/'));
  return [
    `CHANGED: ${of}. ${files.length} test files run.`,
    `LEFT OUT: ${leftOut.length} test files, ${browser.length} of them in a browser or of a whole platform. npm test runs all.`,
  ];
}

/**
 * @param {string} file
 * @param {string} name of an area
 */
function isOfArea(file, name) {
  return (AREAS[name] ?? []).some((path) => isBelow(file, path));
}

/**
 * @param {string} file
 * @param {string} path a folder, or the file itself
 */
function isBelow(file, path) {
  return file === path || file.startsWith(`${path}/`);
}
