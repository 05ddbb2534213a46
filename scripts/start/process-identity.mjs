import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that one process keeps for its whole life and that no other process ever has, even when the system gives its
 * number away again: number, moment of its start, boot of the machine.
 * @param {number} pid
 * @returns {string | null} null when no such process is alive
 */
export function processIdentity(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return isAlive(pid) ? `${pid}` : null;
  const started = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
  return started ? `${pid} ${started}` : null;
}

/**
 * @param {number} pid
 * @returns {boolean} also true for a process of another user
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {number} pid
 * @returns {number | null} the parent's number
 */
export function parentOf(pid) {
  if (process.platform === 'linux') return Number(linuxStat(pid)?.[1] ?? 0) || null;
  if (process.platform === 'win32') return null;
  return Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).stdout) || null;
}

/**
 * @param {number} pid
 * @returns {string} the command line, words divided by blanks; empty when it cannot be read
 */
export function commandLineOf(pid) {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** @param {number} pid */
function linuxIdentity(pid) {
  const stat = linuxStat(pid);
  if (stat === null || stat[0] === 'Z' || stat[0] === 'X') return null;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${pid} ${stat[19]} ${boot}`;
}

/**
 * The fields of /proc/<pid>/stat that follow the command: state, parent, ... and at 19 the start in clock ticks. The
 * command stands in brackets and may itself hold blanks and brackets.
 * @param {number} pid
 */
function linuxStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
