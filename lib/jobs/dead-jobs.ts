import type { Executor } from '../database.ts';
import { limitTo, query, sql } from '../sql.ts';

/** A job that has used up its tries and waits for a person. */
export interface DeadJob {
  id: number;
  task: string;
  attempts: number;
  last_error: string | null;
  /** Set if the job delivers something. */
  delivery_id: number | null;
  created_at: Date;
  updated_at: Date;
}

const IS_DEAD = sql`j.attempts >= j.max_attempts and j.locked_at is null`;
const LISTED_MAX = 100;

/** Lists jobs that will not be tried again by themselves, newest first, at most 100. Their payloads are not shown. */
export function listDeadJobs(db: Executor): Promise<DeadJob[]> {
  return query<DeadJob>(
    db,
    sql`select j.id, t.identifier as task, j.attempts, left(j.last_error, 500) as last_error,
               case when json_typeof(j.payload->'delivery_id') = 'number' then (j.payload->>'delivery_id')::bigint end as delivery_id,
               j.created_at, j.updated_at
          from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where ${IS_DEAD} order by j.id desc ${limitTo(LISTED_MAX)}`,
  );
}

/** Starts a dead job again, with all its tries; false if it is not dead anymore. */
export async function reviveDeadJob(tx: Executor, id: number): Promise<boolean> {
  const rows = await query(
    tx,
    sql`select from graphile_worker._private_jobs j
         where j.id = ${id} and ${IS_DEAD} for update`,
  );
  if (rows.length === 0) return false;
  await query(tx, sql`select graphile_worker.reschedule_jobs(array[${id}::bigint], run_at := now(), attempts := 0::smallint)`);
  return true;
}
