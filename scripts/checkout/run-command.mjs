import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const END_WITHIN_MS = 3000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * @typedef {object} CommandOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} [input] text for its standard input
 * @property {number} [withinMs] it is killed when it takes longer
 * @property {(pid: number | undefined) => void} [onStart]
 * @property {(line: string) => void} [onLine] called with every line that it writes
 */

/**
 * Runs a command to its end, in a process group of its own, so that Ctrl-C reaches it only through `endCommands`.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<{ code: number, output: string }>} code 127 when it could not be started, 128 when a signal ended it
 */
export function runCommand(command, args, options = {}) {
  const { input, withinMs, onStart, onLine, ...others } = options;
  return new Promise((resolve) => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(command, args, { ...others, stdio: [stdin, 'pipe', 'pipe'], detached: !isWindows });
    running.add(child);
    onStart?.(child.pid);
    const timer = withinMs === undefined ? undefined : setTimeout(() => killGroup(child.pid, 'SIGKILL'), withinMs);
    let output = '';
    let rest = '';
    const collect = (/** @type {string} */ text) => {
      output += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (onLine) lines.forEach(onLine);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', collect);
    child.stdin?.on('error', () => {}).end(input);
    child.on('error', (error) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code: 127, output: `${error.message}\n` });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      if (rest !== '') onLine?.(rest);
      resolve({ code: code ?? 128, output });
    });
  });
}

const isWindows = process.platform === 'win32';

/** Ends every running command with SIGTERM, and after three seconds with SIGKILL. */
export async function endCommands() {
  killCommands('SIGTERM');
  const deadline = performance.now() + END_WITHIN_MS;
  while (running.size > 0 && performance.now() < deadline) await sleep(20);
  killCommands();
  while (running.size > 0) await sleep(20);
}

/**
 * Signals every command and all processes that it started, and does not wait.
 * @param {NodeJS.Signals} [signal]
 */
export function killCommands(signal = 'SIGKILL') {
  for (const child of running) killGroup(child.pid, signal);
}

/**
 * @param {number | undefined} pid leader of a process group
 * @param {NodeJS.Signals} signal
 */
export function killGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // It has ended by itself.
  }
}
