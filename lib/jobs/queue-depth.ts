import { type Executor, query, sql } from '../sql.ts';

/** The state of the queue for one task that has ever been queued. */
export interface TaskDepth {
  task: string;
  /** Jobs that are due and that no worker has taken. */
  waiting: number;
  /** Age of the oldest waiting job since it was due, in seconds. 0 without waiting jobs. */
  oldest_seconds: number;
  /** Jobs that have used up their tries. */
  dead: number;
}

export function readQueueDepth(db: Executor): Promise<TaskDepth[]> {
  return query<TaskDepth>(
    db,
    sql`with job as (
          select task_id, run_at, attempts >= max_attempts as is_dead, run_at <= now() as is_due
            from graphile_worker._private_jobs where locked_at is null)
        select t.identifier as task,
               count(*) filter (where is_due and not is_dead)::int as waiting,
               coalesce(extract(epoch from now() - min(run_at) filter (where is_due and not is_dead)), 0)::float
                 as oldest_seconds,
               count(*) filter (where is_dead)::int as dead
          from graphile_worker._private_tasks t left join job on job.task_id = t.id
         group by t.identifier order by t.identifier`,
  );
}
