import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { within } from '../../apps/web/look/within.ts';
import { removePlace } from '../../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { eventually } from '../support/eventually.ts';

const WITHIN_MS = 90_000;

export const ROOT = join(import.meta.dirname, '../..');

export interface Started {
  process: ChildProcess;
  /** Standard output and standard error so far. */
  output: () => string;
  errors: () => string;
  /** Resolves when it says that it is ready, and rejects if it ends before. */
  ready: Promise<void>;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string | null>;
}

/** Makes a DATA_DIR for one file. After its tests it is removed, and every process that still uses it is ended. */
export function makeDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  // The user that PostgreSQL runs as must be able to pass through.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  after(async () => {
    for (const pid of await processesOf(dataDir)) kill(pid);
    removePlace(dataDir);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return dataDir;
}

/** Returns settings of a platform on ports that are free now. */
export async function makeSettings(dataDir: string): Promise<Record<string, string>> {
  const [web, api, admin, storage] = await freePorts(4);
  return {
    DATA_DIR: dataDir,
    WEB_PORT: `${web}`,
    API_PORT: `${api}`,
    ADMIN_PORT: `${admin}`,
    STORAGE_PORT: `${storage}`,
    NODE_ENV: 'development',
  };
}

/** Runs `npm start` of a checkout, or only the supervisor that it runs. */
export function start(
  settings: Record<string, string>,
  args: string[] = [],
  by: 'npm' | 'node' = 'node',
  cwd: string = ROOT,
): Started {
  const [command = '', ...words] =
    by === 'npm' ? ['npm', 'start', '--silent', '--', ...args] : [process.execPath, 'scripts/start.mjs', ...args];
  const { npm_lifecycle_event: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const child = spawn(command, words, {
    cwd,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let errors = '';
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal));
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/^Case Platform is ready/m.test(output)) resolve();
    });
    ended.then((how) => reject(new Error(`ended (${how}) before it was ready:\n${output}\n${errors}`)));
  });
  // This fails before the test's own time limit, and shows the output so far.
  const readyInTime = within(WITHIN_MS, ready, 'It does not say that it is ready.').catch((error) => {
    throw new Error(`${error.message}\n${output}\n${errors}`);
  });
  readyInTime.catch(() => {});
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  return { process: child, output: () => output, errors: () => errors, ready: readyInTime, ended };
}

/** Lists the processes that use a DATA_DIR, by their environment or command line, whose command line contains `word`. */
export async function processesOf(dataDir: string, word = ''): Promise<number[]> {
  const all = process.platform === 'linux' ? readdirSync('/proc').map(Number).map(describeLinux) : describeAll();
  return all
    .filter(([pid, command, about]) => pid > 0 && pid !== process.pid && about.includes(dataDir) && command.includes(word))
    .map(([pid]) => pid);
}

/** Returns the environment of a process, by name and value. */
export function environmentOf(pid: number): [name: string, value: string][] {
  const text =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/environ`, 'utf8')
      : execFileSync('ps', ['eww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).replaceAll(' ', '\0');
  return text.split('\0').map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]);
}

type Described = [pid: number, command: string, about: string];

function describeLinux(pid: number): Described {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return [pid, command, command + readFileSync(`/proc/${pid}/environ`, 'utf8')];
  } catch {
    return [0, '', ''];
  }
}

function describeAll(): Described[] {
  const lines = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return lines.map((line) => [Number.parseInt(line, 10), line, line]);
}

/** Waits until something has happened, for as long as a busy machine may take to start or end six processes. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, happened, WITHIN_MS);
}

export function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
