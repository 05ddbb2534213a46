import type { Executor } from './database.ts';
import { currentRequest, type RequestContext } from './request-context.ts';
import { query, sql } from './sql.ts';

/** The payload of each task. Modules add theirs by declaration merging, and the worker must have a function for every one. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules that declare tasks
export interface TaskPayloads {}
export type TaskName = keyof TaskPayloads & string;

const DEFAULT_ATTEMPTS = 12;

interface JobOptions {
  /** At most one waiting job has this key; a second replaces the first. */
  jobKey?: string;
  /** With `jobKey`: the waiting job keeps its time. */
  keepsRunAt?: boolean;
  runAt?: Date;
  /** Tries before the job is left for a person (graphile-worker waits exp(least(10, attempt)) seconds between them). */
  maxAttempts?: number;
  /** Jobs of one queue run one after the other. */
  queueName?: string;
}

/**
 * Adds a job in the caller's transaction, so that it exists exactly when its subject does. Workers start it when a publisher has
 * read the outbox (lib/outbox/publisher.ts), a moment after the commit.
 */
export async function enqueue<Name extends TaskName>(
  tx: Executor,
  name: Name,
  payload: TaskPayloads[Name],
  { jobKey, ...options }: JobOptions = {},
): Promise<void> {
  await addJobs(tx, name, [{ payload: withRequest(payload, currentRequest()), key: jobKey }], options);
}

export interface JobsOptions<Payload> extends Pick<JobOptions, 'runAt' | 'maxAttempts'> {
  /** The key of each job, with the meaning of `jobKey` above. */
  jobKeyOf?: (payload: Payload) => string;
  /** The request that caused each job, in the order of the payloads; the current one if unset. */
  requests?: readonly (RequestContext | undefined)[];
}

/** Adds many jobs of one name in one statement, in the caller's transaction. */
export async function enqueueAll<Name extends TaskName>(
  tx: Executor,
  name: Name,
  payloads: readonly TaskPayloads[Name][],
  { jobKeyOf, requests, ...options }: JobsOptions<TaskPayloads[Name]> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const jobs = payloads.map((payload, at) => ({
    payload: withRequest(payload, requests === undefined ? currentRequest() : requests[at]),
    key: jobKeyOf?.(payload),
  }));
  await addJobs(tx, name, jobs, options);
}

async function addJobs(
  tx: Executor,
  name: TaskName,
  jobs: readonly { payload: object; key: string | undefined }[],
  { keepsRunAt = false, runAt, maxAttempts = DEFAULT_ATTEMPTS, queueName }: Omit<JobOptions, 'jobKey'>,
): Promise<void> {
  await query(
    tx,
    sql`select queue_jobs(${name}, ${JSON.stringify(jobs)}::json, ${runAt ?? null}::timestamptz, ${maxAttempts}::int,
                          ${queueName ?? null}, ${keepsRunAt})`,
  );
}

/** The failure of a job whose provider does not want to be called for a while, for example because of `Retry-After`. */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError';
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message);
    this.seconds = seconds;
  }
}

/** The failure of a job that needs one of our own processes, which is down. The try does not count, so the job waits. */
export class WaitError extends RetryLaterError {
  override name = 'WaitError';
}

/** Delays the next try of a running job that is about to fail. The queue adds its usual wait when the job has failed. */
export async function delayRetry(db: Executor, jobId: string, error: RetryLaterError): Promise<void> {
  const uncounted = error instanceof WaitError ? 1 : 0;
  await query(
    db,
    sql`update graphile_worker._private_jobs
           set run_at = now() + ${error.seconds} * interval '1 second', attempts = greatest(0, attempts - ${uncounted})
         where id = ${jobId}`,
  );
}

/** The field of a payload that names the request that caused the job. */
const REQUEST = '_request';

function withRequest<Payload extends object>(payload: Payload, request: RequestContext | undefined): Payload {
  return request === undefined ? payload : { ...payload, [REQUEST]: request };
}

/** Separates a job's payload from the request that caused the job, if any. */
export function openPayload(stored: unknown): { payload: unknown; request: RequestContext | undefined } {
  if (typeof stored !== 'object' || stored === null || !(REQUEST in stored)) return { payload: stored, request: undefined };
  const { [REQUEST]: request, ...payload } = stored;
  return { payload, request: request as RequestContext };
}
