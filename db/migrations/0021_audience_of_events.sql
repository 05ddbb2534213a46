-- Takes everything from the outbox in the order of ids, which follows the order of commits where it matters, because events of one
-- conversation are written under its lock. The caller's transaction finds who may see the events, which it does after this statement
-- and so with every change that the events' transactions could see, and then notifies (lib/outbox/publisher.ts). Before, the function
-- notified by itself, and each process had to find out who may see an event.
--
-- Each event gets its place (`since`), from which a reader who received it can resume: every transaction before it had ended and was
-- published. That is the oldest transaction that still runs, or one whose event comes later in this batch.
--
-- There is no row if another process publishes at this moment, or did so in the last 300 ms.
-- The caller skips ids up to `floor`, of which deleted rows may remain during a backup. Transactions with ids up to the last one began
-- before this one (`newest`), so once all transactions before that have ended (`oldest`), no row with such an id can appear. The end
-- of the snapshot would not do: transactions beyond it may run already.
create function take_outbox(as_publisher uuid, floor bigint)
returns table (id bigint, event jsonb, task text, since text, oldest xid8, newest xid8) language plpgsql as $$
begin
  if exists (select from outbox_publisher p
              where p.publisher <> as_publisher and p.published_at > clock_timestamp() - interval '300 milliseconds')
     or not pg_try_advisory_xact_lock(7214010005) then
    return;
  end if;
  return query
    with place as materialized (select pg_current_snapshot() as snapshot),
    gone as (delete from outbox o where o.id > take_outbox.floor returning o.id, o.written_in, o.event, o.task)
    select g.id, g.event, g.task,
           (select database_mark()) || '-' || least(
             pg_snapshot_xmin(p.snapshot),
             min(g.written_in) over (order by g.id rows between 1 following and unbounded following)),
           pg_snapshot_xmin(p.snapshot), pg_current_xact_id()
      from gone g cross join place p order by g.id;
  if found then
    insert into outbox_publisher values (true, as_publisher, clock_timestamp())
    on conflict (only_one) do update set publisher = excluded.publisher, published_at = excluded.published_at;
  end if;
end $$;

drop function publish_outbox(uuid, bigint);
