import { ensureStripped, ensureStyles, ensureWebBuild } from './checkout/builds.mjs';
import { ensureInstalled, pinnedNode } from './checkout/install.mjs';
import { endCommands, killCommands } from './checkout/run-command.mjs';
import { mute, Refusal, say, sayWhatFailed, since, step } from './checkout/terminal.mjs';
import { acquireDataDir } from './start/acquire-data-dir.mjs';
import { Platform } from './start/platform.mjs';
import { openDataDir, readSettings } from './start/settings.mjs';
import { watchNpm } from './start/watch-npm.mjs';
import { sayWelcome } from './start/welcome.mjs';

/** How long a repeated Ctrl-C counts as the same one: the terminal and npm may each pass it on. */
const SAME_CTRL_C_MS = 1000;

const begun = performance.now();
/** @type {Platform | null} */
let platform = null;
/** @type {import('./checkout/lock.mjs').Lock | null} of DATA_DIR */
let lock = null;
/** @type {Promise<never> | null} */
let ending = null;
let firstCtrlC = Number.POSITIVE_INFINITY;

process.on('SIGINT', () => {
  if (performance.now() - firstCtrlC > SAME_CTRL_C_MS) endAtOnce();
  firstCtrlC = Math.min(firstCtrlC, performance.now());
  end(0);
});
process.on('SIGTERM', () => end(0));
process.on('SIGHUP', () => end(0));
// The terminal may close first. Then output fails, but everything must still be stopped.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  await start();
} catch (error) {
  await fail(error);
}

async function start() {
  const isNpmGone = watchNpm(() => end(0));
  const settings = readSettings(process.argv.slice(2), process.env);
  const dataDir = openDataDir(settings.dataDir);
  lock = await acquireDataDir(dataDir, () => ending !== null || isNpmGone(), settings);
  await ensureInstalled();

  const parts = new Platform({ settings, dataDir, node: pinnedNode(), onLost: (reason) => fail(new Refusal(reason)) });
  platform = parts;
  const [demo] = await Promise.all([
    step('Preparing the database', () => parts.prepare()),
    ensureStripped(),
    settings.layers.includes('admin') ? step("Building the staff application's styles", ensureStyles) : undefined,
    settings.layers.includes('web') ? step('Building the web frontend', ensureWebBuild) : undefined,
  ]);
  await step('Starting the layers', () => parts.startLayers());
  sayWelcome(settings, demo);
  say(`Case Platform is ready (${since(begun)}). Ctrl-C stops it.`);
}

/** @param {unknown} error */
function fail(error) {
  if (ending === null) sayWhatFailed(error);
  return end(1);
}

/**
 * Stops everything that runs, once, and ends this process.
 * @param {number} code
 * @returns {Promise<never>}
 */
function end(code) {
  mute();
  ending ??= stopAll().then(
    () => process.exit(code),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      return endAtOnce();
    },
  );
  return ending;
}

async function stopAll() {
  await endCommands();
  await platform?.stop();
  lock?.release();
}

/** @returns {never} */
function endAtOnce() {
  killCommands();
  platform?.kill();
  lock?.release();
  process.exit(130);
}
