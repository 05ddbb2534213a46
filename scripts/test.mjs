import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from './checkout/checkout.mjs';
import { ensureInstalled } from './checkout/install.mjs';
import { endCommands } from './checkout/run-command.mjs';
import { mute, say, sayWhatFailed } from './checkout/terminal.mjs';
import { startPostgres } from './postgres/postgres.mjs';
import { watchNpm } from './start/watch-npm.mjs';
import { findBrowser, findHeadlessShell } from './test/browser.mjs';
import { describeChange } from './test/changed-tests.mjs';
import { Checks, runNode } from './test/test-checks.mjs';
import { testEnvironment } from './test/test-environment.mjs';
import { TestRun } from './test/test-run.mjs';
import { selectTests } from './test/test-selection.mjs';

/** @typedef {import('./test/test-selection.mjs').Selection} Selection */

const SHARED_MEMORY = '/dev/shm';
/** The most that the databases of all tests need, including PostgreSQL's write-ahead log. */
const ENOUGH_MEMORY = 3 * 1024 ** 3;

/** The scripts that make the databases that tests clone. */
const TEMPLATE = join('test', 'support', 'templates', 'cast-template.ts');
const DEMO = join('test', 'support', 'templates', 'demo-template.ts');

const checks = new Checks();
const folder = mkdtempSync(join(tmpdir(), 'case-test-'));
const memory = makeFolderInMemory();
/** @type {import('./postgres/postgres.mjs').Postgres | null} */
let postgres = null;
/** @type {Promise<never> | null} */
let ending = null;

process.on('SIGINT', () => end(130));
process.on('SIGTERM', () => end(143));
process.on('SIGHUP', () => end(129));
process.stdout.on('error', () => {});
watchNpm(() => end(143));

try {
  const code = await main();
  await end(code);
} catch (error) {
  if (ending === null) sayWhatFailed(error);
  await end(1);
}

/** @returns {Promise<number>} exit code: of the first check that failed, else of the tests */
async function main() {
  const selection = selectTests(process.argv.slice(2));
  const notes = [];
  if (selection.leftOut.length > 0) notes.push(`NO BROWSER: left out are ${selection.leftOut.join(', ')}.`);
  if (selection.change !== null) notes.push(...describeChange(selection.change, selection.files));
  for (const note of notes) say(note);
  await ensureInstalled();

  const env = testEnvironment(process.env, makeFolders(selection));
  const { options, seed, heavyFiles, browserFiles, sharingFiles } = selection;
  const run = new TestRun({ options, seed, env });
  const database = Promise.all([
    !selection.needsDatabase || checks.run('Test database', () => giveDatabase(env)),
    !selection.needsDatabase || checks.runStyles(),
  ]);
  let endHeavy = () => {};
  /** @type {Promise<void>} */
  const heavyEnded = new Promise((resolve) => {
    endHeavy = resolve;
  });
  // Light tests need none of the builds that the checks make.
  const lightFiles = selection.files.filter((file) => !heavyFiles.includes(file));
  const light = database.then(([hasDatabase]) => (hasDatabase ? run.runLight(lightFiles, heavyEnded) : 1));
  const [isBuilt, hasBrowser, [hasDatabase], hasDemo] = await Promise.all([
    checkSources(selection),
    !selection.needsBrowser || checks.run('Browser', () => giveBrowser(env)),
    database,
    !selection.needsBrowser || database.then(([has]) => has && checks.run('Demo', () => runNode([DEMO], env))),
  ]);
  const canBrowse = isBuilt && hasBrowser && hasDemo;
  const heavy = heavyFiles.filter((file) => canBrowse || !browserFiles.includes(file));
  const heavyCode = hasDatabase ? await run.runHeavy(heavy, sharingFiles) : 1;
  endHeavy();
  const codes = [heavyCode, await light];
  if (!canBrowse) notes.push('The browser tests were left out, because what they need failed.');
  if (checks.failed.length > 0) notes.push(`FAILED: ${checks.failed.map(({ title }) => title).join(', ')}.`);
  if (!hasDatabase) notes.push('The tests were left out, because there is no database for them.');
  if (seed !== null) notes.push(`The order was random; this repeats it: npm test -- --test-random-seed=${seed}`);
  run.close(notes);
  return checks.failed[0]?.code ?? codes.find((code) => code !== 0) ?? 0;
}

/** @param {Selection} selection */
async function checkSources({ everything, change, needsBrowser }) {
  if (everything || change?.web) return checks.runOnSources();
  if (change !== null) await checks.runQuickly();
  return !needsBrowser || checks.runWebBuild();
}

/**
 * Makes one folder for everything that tests leave behind, which is removed at the end.
 * @param {Selection} selection
 * @returns {NodeJS.ProcessEnv} the settings of the tests
 */
function makeFolders(selection) {
  // The user that PostgreSQL runs as must be able to pass through.
  chmodSync(folder, 0o711);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { mode: 0o711 });
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, TMPDIR: temporary, ...(selection.noBrowser ? { NO_BROWSER: '1' } : {}) };
}

/**
 * Makes a folder in memory for the tests' database if Linux has enough: each test file clones a database of seven hundred files,
 * which takes five times as long on a disk.
 * @returns {string | null}
 */
function makeFolderInMemory() {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory() / 2) < ENOUGH_MEMORY) return null;
    const made = mkdtempSync(join(SHARED_MEMORY, 'case-test-'));
    chmodSync(made, 0o711);
    return made;
  } catch {
    return null;
  }
}

/** @param {NodeJS.ProcessEnv} env */
async function giveBrowser(env) {
  env.CHROMIUM_PATH = await findBrowser();
  env.HEADLESS_SHELL_PATH = await findHeadlessShell();
}

/** @param {NodeJS.ProcessEnv} env */
async function giveDatabase(env) {
  if (!env.TEST_DATABASE_URL) {
    const dataDir = join(memory ?? folder, 'database');
    mkdirSync(dataDir, { mode: 0o711 });
    postgres = await startPostgres({ dataDir, mode: 'throwaway' });
    env.TEST_DATABASE_URL = postgres.url;
  }
  await runNode([TEMPLATE], env);
}

/**
 * Stops and removes everything that this run has started, once, and ends this process.
 * @param {number} code
 * @returns {Promise<never>}
 */
function end(code) {
  ending ??= cleanUp().then(
    () => process.exit(code),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(code || 1);
    },
  );
  return ending;
}

async function cleanUp() {
  mute();
  await endCommands();
  await postgres?.stop();
  if (memory !== null) rmSync(memory, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
