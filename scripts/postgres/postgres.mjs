import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnWatched } from '../checkout/spawn-watched.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { postgresBinaries } from './postgres-binaries.mjs';
import { DATABASE, ENVIRONMENT, prepareCluster, SUPERUSER, signInOf } from './postgres-cluster.mjs';
import { notedServer, stopLeftovers } from './postgres-leftovers.mjs';
import { placePostgres, removePlace } from './postgres-place.mjs';

/**
 * @typedef {object} Postgres
 * @property {string} url of the database `case_platform`, as superuser
 * @property {(process?: 'api' | 'admin' | 'worker') => string} urlAs of the same, in the role of a process or, without one, of
 *   work outside the processes. `npm start` makes these roles
 * @property {number} port
 * @property {Promise<void>} ended settles when the server has ended for any reason
 * @property {() => Promise<void>} stop ends every session and the server, and removes the data of a throwaway one
 * @property {() => void} kill ends it at once
 */

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Settings for tests and benchmarks, whose data need not survive a crash of the machine. Their passwords are not worth guessing,
 * and each connection would cost the client 4,096 rounds of hashing.
 */
const THROWAWAY = {
  shared_buffers: '256MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
  scram_iterations: '1',
};

/** Connections of tests end soon, so they keep the memory of a plan. Returning it costs a fifth of their page faults. */
const KEEPING_MEMORY = { ...ENVIRONMENT, MALLOC_TRIM_THRESHOLD_: '33554432', MALLOC_TOP_PAD_: '1048576' };

const ATTEMPTS = 5;
const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 20_000;

/**
 * Starts the PostgreSQL that comes with the packages, on the loopback interface, with its data kept for `dataDir`.
 * Recovers by itself, however the last server of that data ended.
 * @param {object} options
 * @param {string} options.dataDir exists
 * @param {'durable' | 'throwaway'} options.mode
 * @param {number} [options.port] by default a free one
 * @returns {Promise<Postgres>} once it accepts connections
 * @throws {Refusal} when it cannot run here
 */
export async function startPostgres({ dataDir: given, mode, port }) {
  const dataDir = realpathSync(given);
  const place = placePostgres(dataDir);
  const binaries = postgresBinaries(place.user);
  await stopLeftovers(place.cluster);
  const passwordFile = join(dataDir, 'postgres.password');
  const password = await prepareCluster({ binaries, place, passwordFile, sync: mode === 'durable' });
  const settings = { ...SETTINGS, ...(mode === 'throwaway' ? THROWAWAY : {}) };
  const env = mode === 'throwaway' ? KEEPING_MEMORY : ENVIRONMENT;
  const log = openLog(join(dataDir, 'logs'));

  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const chosen = port ?? (await freePort());
    const server = launch({ binaries, place, env, log, settings: { ...settings, port: String(chosen) } });
    if (await isReady(place.cluster, server.ended)) {
      const address = `127.0.0.1:${chosen}/${DATABASE}`;
      const url = `postgres://${SUPERUSER}:${password}@${address}`;
      const urlAs = (/** @type {'api' | 'admin' | 'worker' | undefined} */ process) =>
        `postgres://${signInOf(password, process)}@${address}`;
      const stop = mode === 'durable' ? server.stop : () => discard(server, place.cluster, dataDir);
      const kill = () => server.signal('SIGQUIT');
      return { url, urlAs, port: chosen, ended: server.ended, stop, kill };
    }
    await server.stop();
    // Another process may have taken the port meanwhile, or a killed server's backends are still ending.
    await sleep(attempt * 500);
    await stopLeftovers(place.cluster);
  }
  throw new Refusal(`DATA_DIR: PostgreSQL does not start on ${place.cluster}; see ${log}.\n${lastLines(log)}`);
}

/** @typedef {ReturnType<typeof launch>} Server */

/**
 * @param {object} options
 * @param {string} options.binaries
 * @param {import('./postgres-place.mjs').Place} options.place
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.log
 * @param {Record<string, string>} options.settings
 */
function launch({ binaries, place, env, log, settings }) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(binaries, 'bin', 'postgres'), '-D', place.cluster, ...options];
  const output = openSync(log, 'a', 0o600);
  const child = spawnWatched(command, { ...place.user, cwd: '/', env, output });
  closeSync(output);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.on('error', () => resolve());
  });
  const signal = (/** @type {NodeJS.Signals} */ name) => {
    const server = notedServer(place.cluster);
    if (server !== null && child.exitCode === null && child.signalCode === null) process.kill(server, name);
  };
  const stop = async () => {
    child.stdin?.end();
    if (await settlesWithin(ended, STOP_WITHIN_MS)) return;
    signal('SIGQUIT');
    await ended;
  };
  return { ended, signal, stop };
}

/**
 * @param {Server} server
 * @param {string} cluster
 * @param {string} dataDir
 */
async function discard(server, cluster, dataDir) {
  server.signal('SIGQUIT');
  await server.stop();
  rmSync(cluster, { recursive: true, force: true });
  removePlace(dataDir);
}

/**
 * Waits for the state in the eighth line of the server's pid file, as `pg_ctl` does.
 * @param {string} cluster
 * @param {Promise<void>} ended
 */
async function isReady(cluster, ended) {
  let over = false;
  ended.then(() => {
    over = true;
  });
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!over && performance.now() < deadline) {
    try {
      if (
        readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
          .split('\n')[7]
          ?.match(/^(ready|standby)/)
      )
        return true;
    } catch {
      // The file is not written yet.
    }
    await sleep(20);
  }
  return false;
}

/**
 * Begins a new log and keeps that of the previous run.
 * @param {string} folder
 */
function openLog(folder) {
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'postgres.log');
  if (existsSync(log)) renameSync(log, join(folder, 'postgres.previous.log'));
  return log;
}

/** @param {string} log */
function lastLines(log) {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
}

/**
 * @param {Promise<void>} promise
 * @param {number} ms
 */
async function settlesWithin(promise, ms) {
  const controller = new AbortController();
  const late = sleep(ms, false, { signal: controller.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  controller.abort();
  return settled;
}

/** @returns {Promise<number>} a port of the loopback interface that is free now */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
