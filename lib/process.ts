import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

interface Running {
  name: string;
  /** Stops accepting work, finishes what is under way, and closes every connection. */
  close: () => Promise<void>;
  log: Log;
  /** How long it still accepts work after it has reported that it is not ready. */
  drainSeconds?: number;
  /** Sent to the supervisor along with `ready`, for example the port that the system chose. */
  info?: Record<string, unknown>;
}

const CLOSE_WITHIN_MS = 9000;
const GONE = 'supervisor gone';

let stopping = false;

/** True once this process is ending: it is no longer ready, and still accepts work for `DRAIN_SECONDS`. */
export function isStopping(): boolean {
  return stopping;
}

/**
 * Reports to the supervisor, if any, that this process is ready, and keeps it running until SIGTERM, SIGINT, or the end of the
 * supervisor. Then it reports that it is not ready, closes after `drainSeconds`, and ends the process (PROCESS-1). A close that
 * hangs is cut off after nine seconds.
 */
export async function runUntilStopped({ name, close, log, drainSeconds = 0, info }: Running): Promise<never> {
  const stopSignal = new Promise<string>((resolve) => {
    // Handles signals more than once: the supervisor and the system may both send one, and an unhandled second one would end the
    // process before it has closed.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
    if (process.connected) process.once('disconnect', () => resolve(GONE));
  });
  const supervised = process.connected;
  const end = (code: number): never => {
    // Node.js can hang in its own exit. A supervisor would then kill it, but a supervisor that is gone cannot.
    if (supervised && !process.connected) process.kill(process.pid, 'SIGKILL');
    process.exit(code);
  };
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end(1);
  });
  if (supervised) process.send?.({ ready: true, drain_seconds: drainSeconds, ...info }, undefined, {}, () => {});
  log.info({ ...info }, `${name} is ready`);
  const reason = await stopSignal;
  stopping = true;
  log.info({ reason, drain_seconds: drainSeconds }, `${name} is stopping`);
  // When the supervisor is gone, no one checks readiness anymore.
  if (reason !== GONE) await sleep(drainSeconds * 1000);
  setTimeout(() => {
    log.error(`${name} did not close within nine seconds and is cut off`);
    end(1);
  }, CLOSE_WITHIN_MS).unref();
  await close();
  return end(0);
}

/**
 * Ends the process with one line on standard error, for a problem that a person must fix before the platform can start (START-4).
 */
export function exitWithError(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
