import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../checkout/run-command.mjs';
import { spawnWatched } from '../checkout/spawn-watched.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { freePorts } from './free-ports.mjs';
import { installPackages, mayInstallPackages } from './system-packages.mjs';

const PROGRAMS = ['redis-server', 'valkey-server'];

/**
 * Finds a Redis or Valkey server, or installs the system's package if it may.
 * @returns {Promise<string>} the program
 * @throws {Refusal} when no server is installed; the message says what to install
 */
async function findRedis() {
  const existing = await firstThatStarts();
  if (existing !== undefined) return existing;
  let output = '';
  if (mayInstallPackages()) {
    output = await installPackages({ packages: ['redis-server'] }, async () => (await firstThatStarts()) !== undefined);
  }
  const installed = await firstThatStarts();
  if (installed !== undefined) return installed;
  throw new Refusal(`${output.trim()}\nThere is no Redis, and none could be installed: install redis-server or valkey-server.`);
}

async function firstThatStarts() {
  for (const program of PROGRAMS) {
    const { code } = await runCommand(program, ['--version']);
    if (code === 0) return program;
  }
  return undefined;
}

/**
 * @typedef {object} RedisServer
 * @property {string} url
 * @property {() => Promise<void>} kill ends the server without warning
 * @property {() => Promise<void>} start starts it again, on the same port and empty, if it does not run
 * @property {() => void} freeze the server accepts connections and answers nothing, until it is thawed
 * @property {() => void} thaw
 * @property {() => Promise<void>} stop ends it for good
 */

/**
 * Starts a Redis on a free port of this machine.
 * @returns {Promise<RedisServer>}
 * @throws {Refusal} when no server is installed
 */
export async function startRedisServer() {
  const program = await findRedis();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const [port = 0] = await freePorts(1);
  const listening = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  /** @param {NodeJS.Signals} name */
  const signal = (name) => {
    if (child?.pid !== undefined && isRunning()) process.kill(-child.pid, name);
  };
  const start = async () => {
    if (isRunning()) return;
    child = spawnWatched([program, ...listening, '--save', '', '--appendonly', 'no'], { output: 'ignore' });
    while (!(await isOpen(port))) {
      if (!isRunning()) throw new Error('Redis has ended');
      await sleep(20);
    }
  };
  const kill = async () => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    signal('SIGKILL');
    await ended;
    // The shell may end a moment before the server.
    while (await isOpen(port)) await sleep(5);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {number} port */
async function isOpen(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
