import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, setPriority } from 'node:os';
import { UnavailableError } from '@case-platform/lib/errors';
import type { PictureFailure } from '@case-platform/words/pictures';
import { FairTurns } from './fair-turns.ts';
import { READY, TOO_LARGE_EXIT } from './process-answer.ts';

/** The owner of a picture, and a signal that ends its processing. */
export interface PictureTurn {
  /** Owners take turns (PICTURE-4). */
  owner: string;
  /** Ends the work, for example when the sender has left. */
  signal?: AbortSignal | undefined;
}

interface PictureProgram {
  path: string;
  args: readonly string[];
  /** Open files; the program sees them as 3, 4, and so on. */
  files: readonly number[];
  /** MiB of writable memory, as RLIMIT_DATA counts it. Node.js reserves about 560 MiB of it without using them. */
  dataMiB: number;
  /** Seconds of CPU time, 10 by default. Linear work on the largest files takes two or three. */
  cpuSeconds?: number;
}

export interface PictureAnswer {
  /** The output of the program, without `READY`. */
  output: Buffer;
  /** The reason why the program failed, or null. */
  failure: PictureFailure | null;
}

const CPU_SECONDS = 10;
/** Long enough for a busy machine. */
const WITHIN_MS = 60_000;
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024;
/** Requests have priority. */
const NICENESS = 10;
/** The limit of simultaneous picture processes of this process. One core is left for requests. */
const turns = new FairTurns(Math.max(1, availableParallelism() - 1));
/**
 * Sets the limits that the system enforces, then becomes the program. At the soft limit of CPU time the system sends SIGXCPU,
 * which identifies that limit, and at the hard limit SIGKILL. Where a limit is unknown (macOS), the program's own checks remain.
 */
const LIMIT_SCRIPT = [
  'ulimit -c 0',
  'ulimit -d "$1" 2>/dev/null',
  'ulimit -S -t "$2" 2>/dev/null',
  'ulimit -H -t $(($2 + 2)) 2>/dev/null',
  'shift 2',
  'exec "$@"',
].join('; ');
const NODE_OPTIONS = ['--max-old-space-size=64', '--max-semi-space-size=2', '--v8-pool-size=1'];
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' };

/**
 * Runs a program that reads untrusted pictures in its own process: without our environment, with limits of memory and CPU time
 * that the operating system enforces, with a lower priority than requests, and in its owner's turn (PICTURE-2, PICTURE-4).
 * @throws {UnavailableError} when it could not start or was stopped from outside.
 * @throws the reason of the signal when it aborts.
 */
export function runPictureProcess(program: PictureProgram, { owner, signal }: PictureTurn): Promise<PictureAnswer> {
  return turns.run(owner, () => runProgram(program, signal), signal);
}

async function runProgram(program: PictureProgram, signal: AbortSignal | undefined): Promise<PictureAnswer> {
  const child = start(program);
  let isLate = false;
  const kill = () => void child.kill('SIGKILL');
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, WITHIN_MS);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const exit = new Promise<ProcessExit>((resolve) => {
      child.once('error', () => resolve({ code: null, by: null }));
      child.once('close', (code, by) => resolve({ code, by }));
    });
    const [output, { code, by }] = await Promise.all([collect(child).catch(() => Buffer.alloc(0)), exit]);
    signal?.throwIfAborted();
    const isReady = output.toString('latin1', 0, READY.length) === READY;
    if (!isReady || (by !== null && STOPPED_FROM_OUTSIDE.has(by))) {
      throw new UnavailableError(5, 'Pictures can’t be processed right now. Try again in a moment.');
    }
    return { output: output.subarray(READY.length), failure: failureOf(code, isLate ? 'SIGXCPU' : by) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    kill();
  }
}

interface ProcessExit {
  code: number | null;
  by: NodeJS.Signals | null;
}

const STOPPED_FROM_OUTSIDE = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** A program that runs out of memory is killed, or ends with a signal. Other crashes are caused by the picture as well. */
function failureOf(code: number | null, by: NodeJS.Signals | null): PictureFailure | null {
  if (code === 0) return null;
  if (by === 'SIGXCPU') return 'too_slow';
  return code === TOO_LARGE_EXIT || by !== null ? 'too_large' : 'damaged';
}

function start({ path, args, files, dataMiB, cpuSeconds = CPU_SECONDS }: PictureProgram): ChildProcess {
  const command = [process.execPath, ...NODE_OPTIONS, path, ...args];
  const limited = ['/bin/sh', '-c', LIMIT_SCRIPT, 'sh', String(dataMiB * 1024), String(cpuSeconds), ...command];
  const [file = '', ...rest] = process.platform === 'win32' ? command : limited;
  const child = spawn(file, rest, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'ignore', ...files] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // It has already ended, or its priority may not be changed here.
  }
  return child;
}

/** Collects the output, and stops a program that writes more than the largest valid answer. */
async function collect(child: ChildProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of child.stdout ?? []) {
    size += chunk.length;
    if (size <= OUTPUT_MAX_BYTES) chunks.push(chunk);
    else child.kill('SIGKILL');
  }
  return Buffer.concat(chunks);
}
