import { type Executor, query, sql } from '../sql.ts';

/** The queue as it stands, a row a task that has ever been queued. */
export interface TaskDepth {
  task: string;
  /** Jobs that could run now and that nobody has taken. */
  waiting: number;
  /** How long the first of them could have run already; 0 when none waits. */
  oldest_seconds: number;
  /** Jobs that have used up their tries. */
  dead: number;
}

/** How many jobs wait, for how long, and how many have been given up. */
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
