import type { Log } from '../log.ts';
import { isStopping } from '../process.ts';

/** Rejects while something that the process needs is unavailable. */
export type ReadinessCheck = () => Promise<unknown>;

/** Load balancers probe often, and anyone may probe, so a result is reused for this long. */
const COUNTS_FOR_MS = 1000;
export const ANSWER_WITHIN_MS = 3000;

export interface Patience {
  /** How long to wait for an answer, in milliseconds. */
  withinMs?: number;
  /** Logs nothing until the first success, unless a person has to act. For a process that always starts before what it needs. */
  isQuietAtStart?: boolean;
}

/**
 * The database was not prepared for this version. Probes show the message to anyone, so it may contain names of our own files and
 * nothing about the machine.
 */
export class NotPreparedError extends Error {}

/**
 * Runs all checks at once, and at most once a second, however many probes there are (HEALTH-1). Logs when something becomes
 * unavailable, and when it is back.
 * @returns a function that rejects with the reason, or if a check took too long.
 */
export function createReadiness(
  checks: readonly ReadinessCheck[],
  log: Pick<Log, 'warn'>,
  { withinMs = ANSWER_WITHIN_MS, isQuietAtStart = false }: Patience = {},
): () => Promise<void> {
  let answer: Promise<void> | null = null;
  let isAway = false;
  let isQuiet = isQuietAtStart;
  const runChecks = async () => {
    const timeout = new AbortController();
    const limit = new Promise<never>((_resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a check took too long')), withinMs);
      timeout.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    try {
      await Promise.race([requireAll(checks), limit]);
    } finally {
      timeout.abort();
    }
  };
  return () => {
    if (isStopping()) return Promise.reject(new Error('the process is stopping'));
    if (answer === null) {
      answer = runChecks();
      const noteResult = (err?: unknown) => {
        setTimeout(() => (answer = null), COUNTS_FOR_MS).unref();
        if (err === undefined || err instanceof NotPreparedError) isQuiet = false;
        if (isQuiet) return;
        if (isAway !== (err !== undefined)) log.warn({ err }, isAway ? 'ready again' : 'not ready');
        isAway = err !== undefined;
      };
      answer.then(() => noteResult(), noteResult);
    }
    return answer;
  };
}

/** @throws the reason that an operator can act on, if several checks fail. */
async function requireAll(checks: readonly ReadinessCheck[]): Promise<void> {
  const results = await Promise.allSettled(checks.map((check) => check()));
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => reason instanceof NotPreparedError) ?? reasons[0];
}

/** Logs a database that is not prepared, even if nothing probes this process. */
export function logIfNotPrepared(check: ReadinessCheck, log: Log): void {
  check().catch((err) => {
    if (err instanceof NotPreparedError) log.warn({ err }, 'calls are answered with 503 until the database is prepared');
  });
}

/** The body of a failed readiness probe, with the reason only if that says nothing about the machine. */
export function unavailableBody(error: unknown): { status: 'unavailable'; reason?: string } {
  return { status: 'unavailable', ...(error instanceof NotPreparedError ? { reason: error.message } : {}) };
}
