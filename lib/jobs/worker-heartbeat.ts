import { type Executor, query, sql } from '../sql.ts';

interface HeartbeatOptions {
  pool: Executor;
  /** What this process's workers are called in the queue, as far as they have started. */
  workerIds: () => readonly string[];
  onError: (error: unknown) => void;
  beatEveryMs?: number;
  /** Without a sign of life for this long a worker counts as dead. */
  deadAfterMs?: number;
}

/**
 * Shows that this process's workers are alive, and lets go of the jobs of those that are not (killed, or cut off): they are
 * taken again within seconds. After an outage of the database everyone has time to be seen again before anyone is judged.
 */
export function startHeartbeat({
  pool,
  workerIds,
  onError,
  beatEveryMs = 2000,
  deadAfterMs = 10_000,
}: HeartbeatOptions): { stop(): Promise<void> } {
  let steadySince: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function beat(): Promise<void> {
    try {
      await showAlive(pool, workerIds());
      steadySince ??= performance.now();
      if (performance.now() - steadySince >= deadAfterMs) await releaseDead(pool, deadAfterMs);
    } catch (error) {
      steadySince = null;
      onError(error);
    }
    if (!stopped) timer = setTimeout(run, beatEveryMs);
  }

  let running = query(pool, sql`delete from worker_heartbeat where seen_at < now() - interval '1 day'`).then(
    beat,
    beat,
  );
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

function showAlive(pool: Executor, workerIds: readonly string[]): Promise<unknown> {
  return query(
    pool,
    sql`insert into worker_heartbeat (worker_id) select unnest(${workerIds}::text[])
        on conflict (worker_id) do update set seen_at = now()`,
  );
}

/** Gives free what dead workers had taken; graphile-worker by itself would wait four hours. */
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
 * Gives back what workers have that end now, as if they had never taken it: for another one, at once, and with all its tries.
 * @returns the jobs.
 */
export async function giveBackJobs(pool: Executor, workerIds: readonly string[]): Promise<number[]> {
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
