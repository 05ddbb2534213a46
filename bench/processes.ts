import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process of the platform, or of the benchmark, with a channel for questions. */
export interface Process {
  name: string;
  /** Empty for a process that serves nothing. */
  baseUrl: string;
  /** Sends a message, by default the question itself, and waits for `{answer: <question>, value}`. */
  ask<Value>(question: string, message?: unknown): Promise<Value>;
  stop(): Promise<void>;
}

interface Start {
  name: string;
  /** Relative to this folder. */
  file: string;
  env: Record<string, string>;
  /** Loaded before the process's own code, relative to this folder. */
  preload: string[];
  execArgv?: string[];
}

type Message = { answer?: string; value?: unknown; ready?: boolean; port?: number };

const STOP_WITHIN_MS = 10_000;
const running = new Set<Process>();

/** Starts a process and waits until it reports that it is ready. Its output goes to a file in `DATA_DIR`. */
export async function startProcess({ name, file, env, preload, execArgv = [] }: Start): Promise<Process> {
  const log = join(env.DATA_DIR ?? '.', `${name}.log`);
  const output = openSync(log, 'w', 0o600);
  const imports = preload.flatMap((path) => ['--import', new URL(path, import.meta.url).href]);
  const child = fork(new URL(file, import.meta.url), [], {
    env,
    execArgv: [...execArgv, ...imports],
    stdio: ['ignore', output, output, 'ipc'],
    serialization: 'advanced',
  });
  closeSync(output);
  const ended = once(child, 'exit');
  const failed = ended.then(() => {
    throw new Error(`${name} ended early:\n${readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n')}`);
  });
  failed.catch(() => {});
  const next = async (isAnswer: (message: Message) => boolean): Promise<Message> => {
    for await (const [message] of on(child, 'message')) if (isAnswer(message)) return message;
    throw new Error(`${name} closed its channel`);
  };
  const started: Process = {
    name,
    baseUrl: '',
    async ask<Value>(question: string, message: unknown = question): Promise<Value> {
      const answer = next((candidate) => candidate.answer === question);
      child.send(message as object);
      return (await Promise.race([answer, failed])).value as Value;
    },
    async stop() {
      running.delete(started);
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
    },
  };
  running.add(started);
  const { port } = await Promise.race([next(({ ready }) => ready === true), failed]);
  if (port !== undefined) started.baseUrl = `http://127.0.0.1:${port}`;
  return started;
}

/** Stops everything that is still running. */
export async function stopProcesses(): Promise<void> {
  await Promise.all([...running].map((process) => process.stop()));
}
