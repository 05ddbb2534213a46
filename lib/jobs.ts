import { type Executor, run } from './database.ts';

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
  await run(
    tx,
    `select graphile_worker.add_job($1::text, payload := $2::json, queue_name := $3::text, run_at := $4::timestamptz,
            max_attempts := $5::int, job_key := $6::text, job_key_mode := $7::text)`,
    [
      ...[name, JSON.stringify(payload), queueName ?? null, runAt ?? null, maxAttempts ?? DEFAULT_ATTEMPTS],
      ...[jobKey ?? null, keepsRunAt ? 'preserve_run_at' : 'replace'],
    ],
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
  await run(
    tx,
    `select graphile_worker.add_job($1::text, payload := job, run_at := $3::timestamptz, max_attempts := $4::int)
       from json_array_elements($2::json) as job`,
    [name, JSON.stringify(payloads), runAt ?? null, maxAttempts ?? DEFAULT_ATTEMPTS],
  );
}
