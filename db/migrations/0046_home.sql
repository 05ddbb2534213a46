-- A person's first page in few statements, and live: what they have asked for, and a word to whoever looks when a case's money
-- has changed.

-- What somebody has written, by its state.
create index disbursement_request_maker_idx on disbursement_request (created_by, status, id desc);

-- One announcement a case and statement, when it commits. A draft concerns its writer alone (decisions, section 14).
create function announce_requests() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id, case when n.submitted_at is null then n.created_by end as user_id from changed n) told;
  else
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id,
                    case when n.submitted_at is null and o.submitted_at is null then n.created_by end as user_id
               from changed n join before o on o.id = n.id) told;
  end if;
  return null;
end
$$;

create function announce_case(case_id bigint, user_id bigint) returns void language sql as $$
  select pg_catalog.pg_notify('chain_event', pg_catalog.jsonb_build_object(
    'kind', 'case', 'case_id', case_id, 'user_id', user_id, 'since', public.current_place())::text)
$$;

create trigger disbursement_request_is_announced after insert on disbursement_request
  referencing new table as changed for each statement execute function announce_requests();
create trigger disbursement_request_change_is_announced after update on disbursement_request
  referencing old table as before new table as changed for each statement execute function announce_requests();

-- What a request moves is announced with it; what is paid in or back stands for itself.
create function announce_cash() returns trigger language plpgsql as $$
begin
  perform announce_case(told.case_id, null)
     from (select distinct n.case_id from changed n where n.kind in ('deposit', 'refund')) told;
  return null;
end
$$;
create trigger ledger_transaction_is_announced after insert on ledger_transaction
  referencing new table as changed for each statement execute function announce_cash();
