-- `delivery` and `sign_in` become tables of one partition a month (docs/records/partitions.md). The rows stay where they are: the table
-- becomes the first partition, `…_until_YYYY_MM`. All of its indexes, and a check instead of reading the rows, were made by 0022, so
-- the lock of the whole table lasts some milliseconds whatever its size.
--
-- No release inserts with `on conflict (delivery_key)`, which needs the unique rule that ends here.

-- The roles of processes have no right to this schema: they use the partitions only through their tables.
create schema months;

-- The partitions of a table and their months, the oldest first. The default partition, which takes rows without a month, has no end.
create function months_of(of_table regclass, out partition regclass, out starts timestamptz, out ends timestamptz)
returns setof record language sql stable as $$
  select c.oid::regclass, coalesce(substring(b.bound from $re$FROM \('([^']+)'\)$re$)::timestamptz, '-infinity'),
         substring(b.bound from $re$TO \('([^']+)'\)$re$)::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
   where i.inhparent = of_table order by 3 nulls last
$$;

-- Creates the partitions of this month and the next three, and of rows in the default partition, which then move there. It gives up
-- when a lock is not free within 700 ms, before the deadlock check of anyone who waits for it. @returns their names.
create function create_months(at timestamptz)
returns setof text language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '700ms' as $$
declare
  item record;
  month timestamptz;
  next_month timestamptz;
  name text;
begin
  for item in select * from (values ('delivery', 'created_at'), ('sign_in', 'signed_in_at')) t (of_table, age) loop
    for month, next_month in execute format(
      'select m.month at time zone ''UTC'', (m.month + interval ''1 month'') at time zone ''UTC''
         from (select date_trunc(''month'', $1 at time zone ''UTC'') + n * interval ''1 month'' from generate_series(0, 3) n
               union select date_trunc(''month'', %I at time zone ''UTC'') from months.%I) m (month)
        where not exists (select from months_of($2) p
                           where p.starts <= m.month at time zone ''UTC'' and m.month at time zone ''UTC'' < p.ends)
        order by 1', item.age, item.of_table || '_default') using at, item.of_table::regclass
    loop
      name := format('%s_%s', item.of_table, to_char(month at time zone 'UTC', 'YYYY_MM'));
      execute format('lock table months.%I in access exclusive mode', item.of_table || '_default');
      execute format('create table months.%I (like public.%I including all excluding identity excluding comments)', name, item.of_table);
      execute format('with moved as (delete from months.%1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into months.%5$I select * from moved',
                     item.of_table || '_default', item.age, month, next_month, name);
      execute format('alter table public.%I attach partition months.%I for values from (%L) to (%L)', item.of_table, name, month, next_month);
      return next name;
    end loop;
  end loop;
end $$;
revoke execute on function create_months from public;

-- Drops the partitions of months that ended by `before`, without those that have a delivery which still waits. @returns their number.
create function drop_months(of_table text, before timestamptz)
returns int language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '700ms' as $$
declare
  item record;
  is_needed boolean;
  dropped int := 0;
begin
  if of_table not in ('delivery', 'sign_in') then
    raise exception 'months of % are never dropped', of_table using errcode = 'insufficient_privilege';
  end if;
  for item in select partition from months_of(of_table::regclass) where ends <= before loop
    execute format('lock table %s in access exclusive mode', item.partition);
    is_needed := false;
    if of_table = 'delivery' then
      execute format('select exists (select from %s where state = ''queued'')', item.partition) into is_needed;
    end if;
    if not is_needed then
      execute format('drop table %s', item.partition);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end $$;
revoke execute on function drop_months from public;

do $$
declare
  item record;
  part text;
  statement text;
  own_indexes text[];
  grants text[];
  last_id bigint;
begin
  for item in
    select t.*, c.oid as table_oid, pg_get_serial_sequence(of_table, 'id')::regclass as sequence,
           substring(pg_get_constraintdef(k.oid) from $re$'([^']+)'$re$)::timestamptz as ends
      from (values ('delivery', 'created_at', 'delivery_key_idx'), ('sign_in', 'signed_in_at', null)) t (of_table, age, key_index)
      join pg_class c on c.oid = of_table::regclass
      join pg_constraint k on k.conrelid = c.oid and k.conname = of_table || '_before_months'
  loop
    execute format('lock table %I in access exclusive mode', item.of_table);
    part := format('%s_until_%s', item.of_table, to_char(item.ends at time zone 'UTC', 'YYYY_MM'));
    select array_agg(pg_get_indexdef(indexrelid)) into own_indexes from pg_index i
     where indrelid = item.table_oid and not indisunique;
    -- The processes that run now keep their rights, before `grantToRoles` runs again.
    select array_agg(format(g.statement, coalesce(quote_ident(r.rolname), 'public'))) into grants from (
        select grantee, format('grant %s on %I to %%s', privilege_type, item.of_table) as statement
          from pg_class c cross join aclexplode(c.relacl) where c.oid = item.table_oid and grantee <> c.relowner
        union all
        select grantee, format('grant %s (%I) on %I to %%s', privilege_type, a.attname, item.of_table)
          from pg_attribute a cross join aclexplode(a.attacl) where a.attrelid = item.table_oid
        union all
        select grantee, format('grant %s on sequence %I to %%s', privilege_type, c.relname)
          from pg_class c cross join aclexplode(c.relacl) where c.oid = item.sequence and grantee <> c.relowner) g
      left join pg_roles r on r.oid = g.grantee;
    execute format('select last_value + is_called::int from %s', item.sequence) into last_id;
    execute format('alter table %I alter id drop identity', item.of_table);
    execute format('alter table %I set schema months', item.of_table);
    execute format('alter table months.%I rename to %I', item.of_table, part);
    for statement in select format('revoke all on months.%I from %s', part, coalesce(quote_ident(r.rolname), 'public'))
      from (select grantee from pg_class c cross join aclexplode(c.relacl) where c.oid = item.table_oid and grantee <> c.relowner
            union select grantee from pg_attribute a cross join aclexplode(a.attacl) where a.attrelid = item.table_oid) g
      left join pg_roles r on r.oid = g.grantee
    loop
      execute statement;
    end loop;
    execute format('drop trigger %I on months.%I',
                   (select tgname from pg_trigger where tgrelid = item.table_oid and not tgisinternal), part);

    execute format('create table %I (like months.%I including defaults including storage) partition by range (%I)',
                   item.of_table, part, item.age);
    for statement in
      select format('alter table %I add constraint %I %s', item.of_table, conname, pg_get_constraintdef(oid)) from pg_constraint
       where conrelid = item.table_oid and contype in ('c', 'f') and conname <> item.of_table || '_before_months'
    loop
      execute statement;
    end loop;
    execute format('alter table %I alter id add generated always as identity (start with %s)', item.of_table, last_id);
    execute format('alter table %I add constraint %I primary key (id, %I)', item.of_table, item.of_table || '_pkey', item.age);
    if item.of_table = 'delivery' then
      execute format('alter table months.%I drop constraint delivery_delivery_key_key', part);
    end if;
    execute format('alter table months.%I drop constraint %I', part, item.of_table || '_pkey');
    execute format('alter table months.%I add primary key using index %I', part, format('%s_id_%s_key', item.of_table, item.age));
    execute format('alter table %I attach partition months.%I for values from (minvalue) to (%L)', item.of_table, part, item.ends);
    execute format('alter table months.%I drop constraint %I', part, item.of_table || '_before_months');
    execute format('create table months.%I partition of %I default', item.of_table || '_default', item.of_table);
    -- Each takes the index of the first partition, which has the same definition.
    foreach statement in array own_indexes loop
      execute statement;
    end loop;
    foreach statement in array coalesce(grants, '{}') loop
      execute statement;
    end loop;
  end loop;
end $$;

-- For `npm run doctor`: until when each table has months, and how many rows, up to 1,000, are in none.
create function months_ahead(out of_table text, out ends timestamptz, out rows_without int)
returns setof record language sql stable security definer set search_path = public, pg_temp as $$
  select 'delivery', (select max(m.ends) from months_of('delivery') m),
         (select count(*)::int from (select from months.delivery_default limit 1000) d)
  union all
  select 'sign_in', (select max(m.ends) from months_of('sign_in') m),
         (select count(*)::int from (select from months.sign_in_default limit 1000) s)
$$;

create trigger delivery_has_a_new_key before insert on delivery for each row execute function claim_delivery_key();
create trigger sign_in_is_the_last after insert on sign_in for each row execute function note_last_sign_in();
do $$ begin perform create_months(now()); end $$;
