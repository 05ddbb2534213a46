import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A process of the platform, or of the benchmark, with a channel to ask it things. */
export interface Process {
  name: string;
  /** Null for one that serves nothing. */
  baseUrl: string | null;
  /** Sends a message and waits for its answer: `{answer: <name>, value}`. */
  ask<Value>(name: string, message?: unknown): Promise<Value>;
  stop(): Promise<void>;
}

interface Start {
  name: string;
  /** Relative to this folder. */
  file: string;
  env: Record<string, string>;
  /** What to load before the process's own code, relative to this folder. */
  preload?: string[];
  execArgv?: string[];
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
const running = new Set<Process>();

/** Starts a process and waits until it says that it is ready. What it writes goes to a file in `DATA_DIR`. */
export async function startProcess({ name, file, env, preload = [], execArgv = [] }: Start): Promise<Process> {
  const log = join(env.DATA_DIR ?? '.', `${name}.log`);
  const output = openSync(log, 'w', 0o600);
  const child = fork(pathOf(file), [], {
    env,
    execArgv: [...execArgv, ...preload.flatMap((path) => ['--import', new URL(path, import.meta.url).href])],
    stdio: ['ignore', output, output, 'ipc'],
    serialization: 'advanced',
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const gone = () => new Error(`${name} has ended before its time:\n${lastLines(log)}`);
  const next = (accepts: (message: unknown) => boolean, ms: number) => nextMessage(child, { accepts, ms, gone });
  const process: Process = {
    name,
    baseUrl: null,
    async ask<Value>(question: string, message: unknown = question): Promise<Value> {
      const answer = next((found) => (found as { answer?: string }).answer === question, 10 * READY_WITHIN_MS);
      if (child.connected) child.send(message as object);
      return ((await answer) as { value: Value }).value;
    },
    async stop() {
      running.delete(process);
      child.kill('SIGTERM');
      const late = sleep(STOP_WITHIN_MS, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
      await Promise.race([ended, late]);
      await ended;
    },
  };
  running.add(process);
  const ready = await next(
    (found) => found === 'ready' || (found as { ready?: boolean }).ready === true,
    READY_WITHIN_MS,
  );
  const { port } = ready as { port?: number };
  if (port !== undefined) process.baseUrl = `http://127.0.0.1:${port}`;
  return process;
}

/** Stops everything that is still running. */
export async function stopProcesses(): Promise<void> {
  await Promise.all([...running].map((process) => process.stop()));
}

/** The absolute path of a file that is named relative to this folder. */
export function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function nextMessage(
  child: ChildProcess,
  { accepts, ms, gone }: { accepts: (message: unknown) => boolean; ms: number; gone: () => Error },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      settle();
    };
    const onMessage = (message: unknown) => accepts(message) && finish(() => resolve(message));
    const onExit = () => finish(() => reject(gone()));
    const timer = setTimeout(() => finish(() => reject(new Error('a process does not answer'))), ms);
    child.on('message', onMessage).on('exit', onExit);
    if (child.exitCode !== null || child.signalCode !== null) onExit();
  });
}

function lastLines(log: string): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
}
