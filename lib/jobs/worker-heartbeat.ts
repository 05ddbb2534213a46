import { type Executor, query, sql } from '../sql.ts';

interface HeartbeatOptions {
  pool: Executor;
  /** The names of this process's workers in the queue, as far as they have started. */
  workerIds: () => readonly string[];
  onError: (error: unknown) => void;
  beatEveryMs?: number;
  /** A worker without a heartbeat for this long counts as dead. */
  deadAfterMs?: number;
}

/**
 * Reports that this process's workers are alive, and releases the jobs of workers that are not (killed, or cut off), so that they
 * are taken again within seconds. After an outage of the database, every worker first gets the time to report again.
 */
export function startHeartbeat({ pool, workerIds, onError, beatEveryMs = 2000, deadAfterMs = 10_000 }: HeartbeatOptions): {
  stop(): Promise<void>;
} {
  let steadySince: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function beat(): Promise<void> {
    try {
      await reportAlive(pool, workerIds());
      steadySince ??= performance.now();
      if (performance.now() - steadySince >= deadAfterMs) await releaseDead(pool, deadAfterMs);
    } catch (error) {
      steadySince = null;
      onError(error);
    }
    if (!stopped) timer = setTimeout(run, beatEveryMs);
  }

  let running = query(pool, sql`delete from worker_heartbeat where seen_at < now() - interval '1 day'`).then(beat, beat);
  function run(): void {
    running = beat();
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      await query(pool, sql`delete from worker_heartbeat where worker_id = any(${workerIds()})`).catch(onError);
    },
  };
}

function reportAlive(pool: Executor, workerIds: readonly string[]): Promise<unknown> {
  return query(
    pool,
    sql`insert into worker_heartbeat (worker_id) select unnest(${workerIds}::text[])
        on conflict (worker_id) do update set seen_at = now()`,
  );
}

/** graphile-worker by itself would wait four hours before it releases these jobs. */
function releaseDead(pool: Executor, deadAfterMs: number): Promise<unknown> {
  const deadline = sql`now() - ${deadAfterMs} * interval '1 millisecond'`;
  return query(
    pool,
    sql`with alive as (select worker_id from worker_heartbeat where seen_at > ${deadline}),
        held as (
          select locked_by from graphile_worker._private_jobs where locked_at < ${deadline}
          union
          select locked_by from graphile_worker._private_job_queues where locked_at < ${deadline}),
        dead as (select array_agg(locked_by) as ids from held where locked_by not in (select worker_id from alive))
        select graphile_worker.force_unlock_workers(ids) from dead where ids is not null`,
  );
}

/**
 * Returns the jobs of workers that are ending to the queue, as if they had never been taken: another worker can take them at
 * once, with all their tries (PROCESS-2).
 * @returns the ids of the jobs.
 */
export async function returnJobs(pool: Executor, workerIds: readonly string[]): Promise<number[]> {
  const jobs = await query<{ id: number }>(
    pool,
    sql`with given as (
          update graphile_worker._private_jobs
             set attempts = greatest(0, attempts - 1), locked_by = null, locked_at = null
           where locked_by = any(${workerIds}) returning id),
        freed as (
          update graphile_worker._private_job_queues set locked_by = null, locked_at = null
           where locked_by = any(${workerIds}) returning id)
        select id from given`,
  );
  return jobs.map(({ id }) => id);
}
