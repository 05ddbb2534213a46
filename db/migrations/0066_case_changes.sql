-- A page says as of when it was rendered (a snapshot); whether it has missed a change is whether its transaction is in there.
create or replace function announce_case(case_id bigint, user_id bigint) returns void language sql as $$
  select pg_catalog.pg_notify('chain_event', pg_catalog.jsonb_build_object(
    'kind', 'case', 'case_id', case_id, 'user_id', user_id, 'since', public.current_place(),
    'transaction', pg_catalog.pg_current_xact_id()::text)::text)
$$;
