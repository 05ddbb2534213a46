import type pg from 'pg';

interface HeartbeatOptions {
  pool: pg.Pool;
  /** What this process's workers are called in the queue, as far as they have started. */
  workerIds: () => readonly string[];
  onError: (error: unknown) => void;
  beatEveryMs?: number;
  /** Without a sign of life for this long a worker counts as dead. */
  deadAfterMs?: number;
}

const BEAT = `
  insert into worker_heartbeat (worker_id) select unnest($1::text[])
  on conflict (worker_id) do update set seen_at = now()`;

/** Gives free what dead workers had taken; graphile-worker by itself would wait four hours. */
const RELEASE = `
  with alive as (select worker_id from worker_heartbeat where seen_at > now() - $1 * interval '1 millisecond'),
  held as (
    select locked_by from graphile_worker._private_jobs where locked_at < now() - $1 * interval '1 millisecond'
    union
    select locked_by from graphile_worker._private_job_queues where locked_at < now() - $1 * interval '1 millisecond'),
  dead as (select array_agg(locked_by) as ids from held where locked_by not in (select worker_id from alive))
  select graphile_worker.force_unlock_workers(ids) from dead where ids is not null`;

const FORGET = "delete from worker_heartbeat where seen_at < now() - interval '1 day'";

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
      await pool.query(BEAT, [workerIds()]);
      steadySince ??= performance.now();
      if (performance.now() - steadySince >= deadAfterMs) await pool.query(RELEASE, [deadAfterMs]);
    } catch (error) {
      steadySince = null;
      onError(error);
    }
    if (!stopped) timer = setTimeout(run, beatEveryMs);
  }

  let running = pool.query(FORGET).then(beat, beat);
  function run(): void {
    running = beat();
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      await pool.query('delete from worker_heartbeat where worker_id = any($1)', [workerIds()]).catch(onError);
    },
  };
}
