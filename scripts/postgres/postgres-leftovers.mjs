import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../checkout/lock.mjs';

/** How long leftover processes get to end after each signal: fast shutdown, at once, by force. */
const PATIENCE_MS = /** @type {const} */ ([
  ['SIGINT', 10_000],
  ['SIGQUIT', 5000],
  ['SIGKILL', 5000],
]);

/**
 * Prepares a database's folder for a new server, however the last one ended. Stops a server without its supervisor and backends
 * without their server, and removes the pid file of a server that is gone. (PostgreSQL itself would respect that file if an
 * unrelated process now has its number.)
 * @param {string} cluster
 */
export async function stopLeftovers(cluster) {
  for (const [signal, patience] of PATIENCE_MS) {
    let processes = leftovers(cluster);
    if (processes.length === 0) break;
    for (const pid of processes) kill(pid, signal);
    const deadline = performance.now() + patience;
    while (processes.length > 0 && performance.now() < deadline) {
      await sleep(50);
      processes = leftovers(cluster);
    }
  }
  if (leftovers(cluster).length === 0) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * @param {string} cluster
 * @returns {number | null} the process id in the pid file of this folder
 */
export function notedServer(cluster) {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
  } catch {
    return null;
  }
}

/**
 * Returns only the server if it is still there, because it ends its own backends.
 * @param {string} cluster
 * @returns {number[]}
 */
function leftovers(cluster) {
  const noted = notedServer(cluster);
  if (noted !== null && isAlive(noted) && isServerOf(noted, cluster)) return [noted];
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(Number(name), cluster))
    .map(Number);
}

/**
 * @param {number} pid
 * @param {string} cluster
 */
function isServerOf(pid, cluster) {
  if (process.platform === 'linux') return worksIn(pid, cluster);
  const command = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  return command.includes('postgres') && command.includes(cluster);
}

/**
 * Every process of a PostgreSQL server works in its database's folder, and hardly any other process ever does.
 * @param {number} pid
 * @param {string} cluster
 */
function worksIn(pid, cluster) {
  try {
    const program = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return program === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
