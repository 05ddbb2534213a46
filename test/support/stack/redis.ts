import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { freePorts } from '../../../scripts/test/free-ports.mjs';
import { findRedis } from '../../../scripts/test/redis.mjs';
import { eventually } from '../eventually.ts';

export interface RunningRedis {
  url: string;
  /** Ends the server without warning. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and empty, if it does not run. */
  start(): Promise<void>;
  /** The server accepts connections and answers nothing, until it is thawed. */
  freeze(): void;
  thaw(): void;
}

/** Starts Debian's Redis on a free port of this machine. It is stopped after the tests of the file. */
export async function startRedis(): Promise<RunningRedis> {
  const program = await findRedis();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const [port = 0] = await freePorts(1);
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const start = async () => {
    if (isRunning()) return;
    const listening = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
    const started = spawn(program, [...listening, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    child = started;
    await eventually('Redis listens', async () => {
      if (started.exitCode !== null) throw new Error('Redis has ended');
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect').then(
        () => socket.destroy(),
        () => false,
      );
    });
  };
  const kill = async () => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}
