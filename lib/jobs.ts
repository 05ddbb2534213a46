import type { Executor } from './database.ts';
import { currentRequest, type RequestContext } from './request-context.ts';
import { query, sql } from './sql.ts';

/** What each task is given. Modules add theirs by declaration merging; the worker must name a function for every one. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules that declare tasks
export interface TaskPayloads {}
export type TaskName = keyof TaskPayloads & string;

const DEFAULT_ATTEMPTS = 12;

interface JobOptions {
  /** At most one waiting job has this key; a second replaces the first. */
  jobKey?: string;
  /** The one that waits keeps its time. */
  keepsRunAt?: boolean;
  runAt?: Date;
  /** Tries before the job is left for a person (graphile-worker waits exp(least(10, attempt)) seconds between them). */
  maxAttempts?: number;
  /** Jobs of one queue run one after the other. */
  queueName?: string;
}

/**
 * Adds a job in the caller's transaction: it exists exactly when what it is about exists.
 * The row in graphile-worker's table is the outbox.
 */
export async function enqueue<Name extends TaskName>(
  tx: Executor,
  name: Name,
  payload: TaskPayloads[Name],
  { jobKey, keepsRunAt = false, runAt, maxAttempts, queueName }: JobOptions = {},
): Promise<void> {
  await query(
    tx,
    sql`select graphile_worker.add_job(${name}::text, payload := ${JSON.stringify(withRequest(payload))}::json,
               queue_name := ${queueName ?? null}::text, run_at := ${runAt ?? null}::timestamptz,
               max_attempts := ${maxAttempts ?? DEFAULT_ATTEMPTS}::int, job_key := ${jobKey ?? null}::text,
               job_key_mode := ${keepsRunAt ? 'preserve_run_at' : 'replace'}::text)`,
  );
}

/** Adds many jobs of one name in one statement, in the caller's transaction. */
export async function enqueueAll<Name extends TaskName>(
  tx: Executor,
  name: Name,
  payloads: readonly TaskPayloads[Name][],
  { runAt, maxAttempts }: Pick<JobOptions, 'runAt' | 'maxAttempts'> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  await query(
    tx,
    sql`select graphile_worker.add_job(${name}::text, payload := job, run_at := ${runAt ?? null}::timestamptz,
                                       max_attempts := ${maxAttempts ?? DEFAULT_ATTEMPTS}::int)
          from json_array_elements(${JSON.stringify(payloads.map(withRequest))}::json) as job`,
  );
}

/** A failure of a job whose other side does not want to be called again for a while, such as after a `Retry-After`. */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError';
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message);
    this.seconds = seconds;
  }
}

/** Delays the next try of a job that is under way and is about to fail. The queue adds its usual wait when the job has failed. */
export async function delayRetry(db: Executor, jobId: string, seconds: number): Promise<void> {
  await query(
    db,
    sql`update graphile_worker._private_jobs set run_at = now() + ${seconds} * interval '1 second' where id = ${jobId}`,
  );
}

/** Where a payload says which request it goes back to. */
const REQUEST = '_request';

function withRequest<Payload extends object>(payload: Payload): Payload {
  const request = currentRequest();
  return request === undefined ? payload : { ...payload, [REQUEST]: request };
}

/** A job's payload as it was queued, and the request that it goes back to, if any. */
export function openPayload(stored: unknown): { payload: unknown; request: RequestContext | undefined } {
  if (typeof stored !== 'object' || stored === null || !(REQUEST in stored))
    return { payload: stored, request: undefined };
  const { [REQUEST]: request, ...payload } = stored;
  return { payload, request: request as RequestContext };
}
