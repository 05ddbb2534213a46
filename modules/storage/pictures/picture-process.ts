import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, setPriority } from 'node:os';
import { UnavailableError } from '@case-platform/lib/errors';
import type { PictureFailure } from '@case-platform/words/pictures';
import { FairTurns } from './fair-turns.ts';
import { READY, TOO_LARGE_EXIT } from './process-answer.ts';

/** The person that a picture is processed for, and the signal that ends the work. */
export interface PictureTurn {
  /** Owners take turns. */
  owner: string;
  /** Ends the work, for example when the person who sent the picture has left. */
  signal?: AbortSignal | undefined;
}

interface PictureProgram {
  path: string;
  args: readonly string[];
  /** Open files; the program sees them as 3, 4, and so on. */
  files: readonly number[];
  /** Of writable memory, which is what RLIMIT_DATA counts. Node.js reserves some 560 MiB of it without using them. */
  dataMiB: number;
  /** Of computing time. Default 10: linear work on the largest files takes two or three. */
  cpuSeconds?: number;
}

export interface PictureAnswer {
  /** The output of the program, without `READY`. */
  output: Buffer;
  /** Why it did not come to its end, or null. */
  failure: PictureFailure | null;
}

const CPU_SECONDS = 10;
/** Also while the machine is busy. */
const WITHIN_MS = 60_000;
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024;
/** Requests come first. */
const NICENESS = 10;
/** Picture processes of this process that run at the same time. One core is left to the requests of other people. */
const turns = new FairTurns(Math.max(1, availableParallelism() - 1));
/**
 * Sets what the system enforces, then becomes the program. At the soft limit of computing time it sends SIGXCPU, which says what was
 * used up; at the hard one SIGKILL. Where a limit is unknown (macOS), the program's own checks remain.
 */
const LIMITED = [
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
 * Runs a program that reads pictures from strangers in a process of its own: without our environment, with a limit of memory
 * and of computing time that the operating system enforces, behind requests, and in the turn of its owner.
 * @throws {UnavailableError} when it could not start or was stopped from outside; the reason of the signal when that aborts.
 */
export function runPictureProcess(program: PictureProgram, { owner, signal }: PictureTurn): Promise<PictureAnswer> {
  return turns.take(owner, () => runProgram(program, signal), signal);
}

async function runProgram(program: PictureProgram, signal: AbortSignal | undefined): Promise<PictureAnswer> {
  const child = start(program);
  let isLate = false;
  const kill = () => void child.kill('SIGKILL');
  const late = setTimeout(() => {
    isLate = true;
    kill();
  }, WITHIN_MS);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const ended = new Promise<Ended>((resolve) => {
      child.once('error', () => resolve({ code: null, by: null }));
      child.once('close', (code, by) => resolve({ code, by }));
    });
    const [output, { code, by }] = await Promise.all([collect(child).catch(() => Buffer.alloc(0)), ended]);
    signal?.throwIfAborted();
    const isReady = output.toString('latin1', 0, READY.length) === READY;
    if (!isReady || (by !== null && STOPPED_FROM_OUTSIDE.has(by))) {
      throw new UnavailableError(5, 'Pictures can’t be processed right now. Try again in a moment.');
    }
    return { output: output.subarray(READY.length), failure: failureOf(code, isLate ? 'SIGXCPU' : by) };
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', kill);
    kill();
  }
}

interface Ended {
  code: number | null;
  by: NodeJS.Signals | null;
}

const STOPPED_FROM_OUTSIDE = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** A program that has no memory left is killed, or ends itself by a signal. Other crashes are the picture's doing, too. */
function failureOf(code: number | null, by: NodeJS.Signals | null): PictureFailure | null {
  if (code === 0) return null;
  if (by === 'SIGXCPU') return 'too_slow';
  return code === TOO_LARGE_EXIT || by !== null ? 'too_large' : 'damaged';
}

function start({ path, args, files, dataMiB, cpuSeconds = CPU_SECONDS }: PictureProgram): ChildProcess {
  const command = [process.execPath, ...NODE_OPTIONS, path, ...args];
  const limited = ['/bin/sh', '-c', LIMITED, 'sh', String(dataMiB * 1024), String(cpuSeconds), ...command];
  const [file = '', ...rest] = process.platform === 'win32' ? command : limited;
  const child = spawn(file, rest, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'ignore', ...files] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // It has ended already, or its priority may not be changed here.
  }
  return child;
}

/** A program that writes more than the largest answer is stopped. */
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
