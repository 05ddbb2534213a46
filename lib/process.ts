import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

interface Running {
  name: string;
  /** Stops taking work, finishes what is under way, closes every connection. */
  close: () => Promise<void>;
  log: Log;
  /** For how long it still takes work after it has said that it is not ready any more. */
  drainSeconds?: number;
  /** Told to the supervisor along with `ready`, for example the port that the system gave. */
  info?: Record<string, unknown>;
}

const CLOSE_WITHIN_MS = 9000;
const GONE = 'supervisor gone';

let stopping = false;

/** Whether this process was told to end: it is then not ready any more, and goes on for `DRAIN_SECONDS`. */
export function isStopping(): boolean {
  return stopping;
}

/**
 * Tells the supervisor (if any) that this process is ready and keeps it running until SIGTERM, SIGINT or the end of the
 * supervisor, whichever comes first; then says that it is not ready, closes after `drainSeconds` and ends the process. A close that
 * hangs is cut off after nine seconds.
 */
export async function runUntilStopped({ name, close, log, drainSeconds = 0, info }: Running): Promise<never> {
  const stopped = new Promise<string>((resolve) => {
    // Also a second time, when a supervisor and the system both say so: it would end at once what the first one lets end.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
    if (process.connected) process.once('disconnect', () => resolve(GONE));
  });
  const supervised = process.connected;
  const end = (code: number): never => {
    // Node.js can hang in its own exit: a supervisor then insists, but nobody is left to when that is gone.
    if (supervised && !process.connected) process.kill(process.pid, 'SIGKILL');
    process.exit(code);
  };
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end(1);
  });
  if (supervised) process.send?.({ ready: true, drain_seconds: drainSeconds, ...info }, undefined, {}, () => {});
  log.info({ ...info }, `${name} is ready`);
  const reason = await stopped;
  stopping = true;
  log.info({ reason, drain_seconds: drainSeconds }, `${name} is stopping`);
  // A supervisor that is gone has nobody look any more.
  if (reason !== GONE) await sleep(drainSeconds * 1000);
  setTimeout(() => {
    log.error(`${name} has not closed within nine seconds, and is cut off`);
    end(1);
  }, CLOSE_WITHIN_MS).unref();
  await close();
  return end(0);
}

/** Ends the process with one line on standard error: for what a person must mend before the platform can start. */
export function refuseToStart(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
