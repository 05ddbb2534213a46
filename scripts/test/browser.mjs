import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from '../checkout/checkout.mjs';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { Refusal, say } from '../checkout/terminal.mjs';
import { installPackages, mayInstallPackages } from './system-packages.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
/** Chromium without windows. It starts and draws with a fifth less computing time, but has no notifications. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const MAC_APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
const START_WITHIN_MS = 60_000;
const PLAYWRIGHT = join(ROOT, 'node_modules', 'playwright-core', 'cli.js');

/**
 * Finds a Chromium that starts: the one of `CHROMIUM_PATH`, the system's, or Playwright's own. Without one it installs the
 * system's package if it may, and otherwise lets Playwright download its own.
 * @returns {Promise<string>} path of the program
 * @throws {Refusal} that says what to do, when there is no browser
 */
export async function findBrowser() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await startsWell(named)) return named;
    throw new Refusal(`CHROMIUM_PATH: ${named} does not start as a headless Chromium.`);
  }
  return (await firstThatStarts(await candidates())) ?? (await installBrowser());
}

/**
 * Finds the same browser without windows, if the system has it.
 * @returns {Promise<string | undefined>}
 */
export async function findHeadlessShell() {
  if (process.env.CHROMIUM_PATH) return undefined;
  return (await firstThatStarts(onPath([HEADLESS_SHELL]))) ?? undefined;
}

/** @param {string[]} paths */
async function firstThatStarts(paths) {
  for (const path of paths) {
    if (await startsWell(path)) return path;
  }
  return null;
}

async function candidates() {
  const { chromium } = await import('playwright-core');
  return [...onPath(NAMES), ...[...MAC_APPLICATIONS, chromium.executablePath()].filter((path) => existsSync(path))];
}

/** @param {string[]} names */
function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter((path) => existsSync(path));
}

async function installBrowser() {
  const attempts = [];
  if (mayInstallPackages()) attempts.push(installPackage);
  attempts.push(downloadBrowser);
  for (const attempt of attempts) {
    const output = await attempt();
    const program = await firstThatStarts(await candidates());
    if (program !== null) return program;
    say(output.trim().split('\n').slice(-5).join('\n'));
  }
  throw new Refusal(
    'No browser for the browser tests: none is installed, and none could be. Install Chromium or Chrome, or set ' +
      'CHROMIUM_PATH to one; `npm test -- --no-browser` leaves these tests out.',
  );
}

function installPackage() {
  const wanted = { packages: ['chromium'], optional: [HEADLESS_SHELL] };
  return installPackages(wanted, async () => (await firstThatStarts(await candidates())) !== null);
}

async function downloadBrowser() {
  say('  ...  downloading a Chromium by Playwright');
  return (await runCommand(pinnedNode(), [PLAYWRIGHT, 'install', 'chromium'], { cwd: ROOT })).output;
}

/**
 * Starts the program to be sure, because one of that name may only point to a package, or may lack its libraries.
 * @param {string} path
 */
async function startsWell(path) {
  const profile = await mkdtemp(join(tmpdir(), 'browser-'));
  const args = [...FLAGS, `--user-data-dir=${profile}`, '--dump-dom', 'data:text/html,<p>it-starts</p>'];
  const { code, output } = await runCommand(path, args, { withinMs: START_WITHIN_MS });
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  return code === 0 && output.includes('it-starts');
}
