import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../checkout/checkout.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { isBlockedPort } from './blocked-ports.mjs';

/** @typedef {{ name: string, setting: string, port: number }} Listener */
/** @typedef {'storage' | 'api' | 'admin' | 'worker' | 'web'} LayerName */

/**
 * @typedef {object} Settings
 * @property {LayerName[]} layers those that are started once the database is ready, unlike the storage, which starts earlier
 * @property {boolean} demo whether demo data is wanted
 * @property {boolean} storage whether the development object storage is started
 * @property {boolean} database whether PostgreSQL is embedded
 * @property {string} host
 * @property {Listener[]} listeners the layers that are started and have a port
 * @property {string} dataDir absolute
 */

/** The layers that can be left out, by a developer who works on another one or a test that does not need it. */
const LAYERS = /** @type {LayerName[]} */ (['api', 'admin', 'worker', 'web']);
const ARGUMENTS = ['--no-web', '--no-admin', '--no-worker', '--no-demo'];

const TAKEN_FOR_MS = 3000;
const IN_USE = ' is already in use.';

const REASONS = /** @type {Record<string, string>} */ ({
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no such file or folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'it is not a folder',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
});

/**
 * Reads what `npm start` itself needs to know from its arguments and the environment.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Settings}
 * @throws {Refusal} naming the argument or the setting that is wrong
 */
export function readSettings(args, environment) {
  const unknown = args.find((arg) => !ARGUMENTS.includes(arg));
  if (unknown !== undefined) throw new Refusal(`${unknown} is unknown: npm start takes ${ARGUMENTS.join(', ')}.`);
  const layers = LAYERS.filter((name) => !args.includes(`--no-${name}`));
  const storage = environment.NODE_ENV !== 'production' && read(environment, 'S3_ENDPOINT') === undefined;
  const listeners = [
    { name: 'web', setting: 'WEB_PORT', port: readPort(environment, 'WEB_PORT', 3000) },
    { name: 'api', setting: 'API_PORT', port: readPort(environment, 'API_PORT', 4000) },
    { name: 'admin', setting: 'ADMIN_PORT', port: readPort(environment, 'ADMIN_PORT', 4001) },
    { name: 'storage', setting: 'STORAGE_PORT', port: readPort(environment, 'STORAGE_PORT', 4002) },
  ].filter(({ name }) => (name === 'storage' ? storage : layers.some((layer) => layer === name)));
  requireAllowedPorts(listeners);
  requireDistinctPorts(listeners);
  return {
    layers,
    demo: !args.includes('--no-demo') && environment.NODE_ENV !== 'production',
    storage,
    // Production must name its own database. The check of the configuration says so, with everything else that is missing.
    database: environment.NODE_ENV !== 'production' && read(environment, 'DATABASE_URL') === undefined,
    host: read(environment, 'HOST') ?? '127.0.0.1',
    listeners,
    dataDir: resolve(ROOT, read(environment, 'DATA_DIR') ?? '.data'),
  };
}

/**
 * Makes DATA_DIR when it is missing and tries whether it can be written.
 * @param {string} dataDir
 * @returns {string} its path without symbolic links
 * @throws {Refusal}
 */
export function openDataDir(dataDir) {
  const probe = resolve(dataDir, `.probe-${process.pid}`);
  try {
    makeFolder(dataDir);
    writeFileSync(probe, 'written to see whether it can be');
    rmSync(probe);
    return realpathSync(dataDir);
  } catch (error) {
    throw new Refusal(`DATA_DIR: ${dataDir} cannot be used: ${reason(error)}.`);
  }
}

/**
 * Makes a folder and its parents without mkdir's `recursive`, which never returns on a file system that takes no folders (/proc).
 * @param {string} folder
 */
function makeFolder(folder) {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  try {
    // Other users may pass through, as the database's user must, but not list the folder.
    mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
}

/**
 * Tries every port, and gives a port that is in use some time to become free.
 * @param {string} host
 * @param {Listener[]} listeners
 * @param {number} [patienceMs]
 * @throws {Refusal} naming every setting whose port cannot be used
 */
export async function requireFreePorts(host, listeners, patienceMs = TAKEN_FOR_MS) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const problems = (await Promise.all(listeners.map((listener) => portProblem(host, listener)))).filter(Boolean);
    if (problems.length === 0) return;
    const mayPass = problems.every((problem) => problem?.endsWith(IN_USE));
    if (!mayPass || performance.now() > deadline) throw new Refusal([...new Set(problems)].join(' '));
    await sleep(200);
  }
}

/**
 * @param {string} host
 * @param {Listener} listener
 * @returns {Promise<string | null>}
 */
function portProblem(host, { setting, port }) {
  return new Promise((done) => {
    const probe = createServer();
    probe.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE') done(`${setting}: ${host}:${port}${IN_USE}`);
      else if (error.code === 'EACCES') done(`${setting}: ${host}:${port} cannot be used: permission denied.`);
      else done(`HOST: ${host} cannot be used: ${reason(error)}.`);
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done(null)));
  });
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} name
 * @returns {string | undefined} the value, or the content of the file that `<name>_FILE` names
 */
function read(environment, name) {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name]?.trim() || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Refusal(`${name}_FILE: ${file} cannot be read: ${reason(error)}.`);
  }
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} setting
 * @param {number} fallback
 */
function readPort(environment, setting, fallback) {
  const value = read(environment, setting) ?? String(fallback);
  const port = Number(value);
  if (/^\d+$/.test(value) && port >= 1 && port <= 65_535) return port;
  throw new Refusal(`${setting}: it must be a whole number from 1 to 65535.`);
}

/** @param {Listener[]} listeners */
function requireAllowedPorts(listeners) {
  for (const { setting, port } of listeners) {
    if (isBlockedPort(port)) throw new Refusal(`${setting}: browsers block port ${port}. Choose another one.`);
  }
}

/** @param {Listener[]} listeners */
function requireDistinctPorts(listeners) {
  for (const { setting, port } of listeners) {
    const twin = listeners.find((other) => other.port === port && other.setting !== setting);
    if (twin) throw new Refusal(`${setting} and ${twin.setting} are both ${port}: each needs a port of its own.`);
  }
}

/** @param {unknown} error */
function reason(error) {
  const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
  return REASONS[code] ?? (code || message);
}
