-- A signal for the workers names its tasks, so that only the workers of those look for jobs.
alter table outbox add column task text;

-- Adds jobs as graphile_worker.add_jobs does, but without its NOTIFY. `jobs` is an array of objects with a payload and perhaps a key.
create or replace function queue_jobs(task text, jobs json, due timestamptz, tries int, queue text, keeps_run_at boolean)
returns void language plpgsql as $$
begin
  insert into graphile_worker._private_tasks (identifier)
  select task where not exists (select from graphile_worker._private_tasks t where t.identifier = task)
  on conflict do nothing;
  if queue is not null then
    insert into graphile_worker._private_job_queues (queue_name)
    select queue where not exists (select from graphile_worker._private_job_queues q where q.queue_name = queue)
    on conflict do nothing;
  end if;
  -- A job that runs or has failed for good is not replaced: the new one is added beside it.
  update graphile_worker._private_jobs j set key = null, attempts = j.max_attempts, updated_at = now()
    from json_array_elements(jobs) job
   where j.key = job->>'key' and j.is_available is not true;
  insert into graphile_worker._private_jobs as j (job_queue_id, task_id, payload, run_at, max_attempts, key)
  select (select q.id from graphile_worker._private_job_queues q where q.queue_name = queue), t.id, job->'payload',
         coalesce(due, now()), tries, job->>'key'
    from graphile_worker._private_tasks t cross join json_array_elements(jobs) job
   where t.identifier = task
  on conflict (key) do update
     set job_queue_id = excluded.job_queue_id, task_id = excluded.task_id, payload = excluded.payload,
         run_at = case when keeps_run_at and j.attempts = 0 then j.run_at else excluded.run_at end,
         max_attempts = excluded.max_attempts, priority = excluded.priority, flags = excluded.flags,
         revision = j.revision + 1, attempts = 0, last_error = null, updated_at = now()
   where j.locked_at is null;
  if due is null or due <= now() then
    insert into outbox (task) values (task);
  end if;
end $$;

-- Publishes everything in the outbox: the events, in the order of their ids, on the channel `chain_event`, as arrays; and one signal
-- for the workers, with the tasks whose jobs were added. Ids follow the order of commits where it matters, because events of one
-- conversation are written under its lock.
--
-- Each event gets its place, from which a reader who received it can resume: every transaction before it had ended and was
-- published. That is the oldest transaction that still runs, or one whose event comes later in this batch.
--
-- `published` is null if another process publishes at this moment, or did so in the last 300 ms.
-- The caller skips ids up to `floor`, of which deleted rows may remain during a backup. Transactions with ids up to `last_id` began
-- before this one (`newest`), so once all transactions before that have ended (`oldest`), no row with such an id can appear. The end
-- of the snapshot would not do: transactions beyond it may run already.
create or replace function publish_outbox(as_publisher uuid, floor bigint,
                               out published int, out last_id bigint, out oldest xid8, out newest xid8)
language plpgsql as $$
declare
  mark text;
  item record;
  payload text := '';
  jobs int := 0;
  tasks jsonb := '{}';
begin
  if exists (select from outbox_publisher p
              where p.publisher <> as_publisher and p.published_at > clock_timestamp() - interval '300 milliseconds')
     or not pg_try_advisory_xact_lock(7214010005) then
    return;
  end if;
  published := 0;
  for item in
    with place as materialized (select pg_current_snapshot() as snapshot),
    gone as (delete from outbox where id > floor returning id, written_in, event, task)
    select g.id, g.event, g.task, pg_snapshot_xmin(p.snapshot) as xmin,
           least(pg_snapshot_xmin(p.snapshot),
                 min(g.written_in) over (order by g.id rows between 1 following and unbounded following)) as since
      from gone g cross join place p order by g.id
  loop
    published := published + 1;
    last_id := item.id;
    oldest := item.xmin;
    newest := pg_current_xact_id();
    if item.event is null then
      jobs := jobs + 1;
      tasks := tasks || jsonb_build_object(coalesce(item.task, ''), true);
      continue;
    end if;
    mark := coalesce(mark, database_mark());
    item.event := item.event || jsonb_build_object('since', mark || '-' || item.since);
    if octet_length(payload) + octet_length(item.event::text) > 7800 then
      perform pg_notify('chain_event', '[' || payload || ']');
      payload := '';
    end if;
    payload := payload || case payload when '' then '' else ',' end || item.event;
  end loop;
  if payload <> '' then
    perform pg_notify('chain_event', '[' || payload || ']');
  end if;
  if jobs > 0 then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', jobs, 'tasks', tasks)::text);
  end if;
  if published > 0 then
    insert into outbox_publisher values (true, as_publisher, clock_timestamp())
    on conflict (only_one) do update set publisher = excluded.publisher, published_at = excluded.published_at;
  end if;
end $$;
