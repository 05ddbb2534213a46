-- The announcement of a changed case no longer names its transaction. Pages refresh on each change instead of comparing snapshots.
create or replace function announce_case(case_id bigint, user_id bigint) returns void language sql as $$
  select pg_catalog.pg_notify('chain_event', pg_catalog.jsonb_build_object(
    'kind', 'case', 'case_id', case_id, 'user_id', user_id, 'since', public.current_place())::text)
$$;
