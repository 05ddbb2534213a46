-- Money that may be spent takes two persons (decisions, section 11): what staff record as paid in, or paid back to the parents, is on
-- the ledger once somebody else has confirmed it.

create table cash_entry (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  kind text not null check (kind in ('deposit', 'refund')),
  amount_cents bigint not null check (amount_cents between 1 and 9999999999),
  memo text not null default '' check (length(memo) <= 300),
  recorded_by bigint not null references user_account (id),
  recorded_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'confirmed', 'refused')),
  decided_by bigint references user_account (id),
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 300),
  check ((status = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check ((status = 'refused') = (decision_reason is not null))
);
create index cash_entry_waiting_idx on cash_entry (id) where status = 'waiting';
create index cash_entry_case_idx on cash_entry (case_id, id desc);

-- What was seen is what is decided: nothing of an entry changes but its decision, and that once.
create function keep_cash_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.case_id, new.kind, new.amount_cents, new.memo, new.recorded_by, new.recorded_at)
        is distinct from (old.id, old.case_id, old.kind, old.amount_cents, old.memo, old.recorded_by, old.recorded_at) then
    raise exception 'what was recorded about cash is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger cash_entry_is_kept before update or delete on cash_entry for each row execute function keep_cash_entry();
create trigger cash_entry_is_never_emptied before truncate on cash_entry
  for each statement execute function refuse_change();

create function refuse_own_cash_entry() returns trigger language plpgsql as $$
begin
  if is_person_among(new.decided_by, array[new.recorded_by]) then
    raise exception 'one person would record and confirm entry % of case %', new.id, new.case_id
      using errcode = 'check_violation', constraint = 'recorder_never_confirms';
  end if;
  return null;
end
$$;
create trigger cash_entry_takes_two after insert or update on cash_entry
  for each row when (new.status = 'confirmed') execute function refuse_own_cash_entry();

-- One movement of the ledger an entry. Those before have none.
alter table ledger_transaction add column cash_entry_id bigint unique references cash_entry (id);
alter table ledger_transaction add constraint cash_entry_moves_cash check (cash_entry_id is null or kind in ('deposit', 'refund'));

-- Asked at the end of the transaction, when all postings are there.
create function check_cash_entry() returns trigger language plpgsql as $$
begin
  if not exists (
    select from cash_entry e
     where e.id = new.cash_entry_id and e.case_id = new.case_id and e.kind = new.kind and e.status = 'confirmed'
       and not exists (select from ledger_posting p where p.transaction_id = new.id and abs(p.amount_cents) <> e.amount_cents)
  ) then
    raise exception 'a % of case % that two persons have not agreed on', new.kind, new.case_id
      using errcode = 'check_violation', constraint = 'cash_takes_two';
  end if;
  return null;
end
$$;
create constraint trigger ledger_transaction_takes_two after insert on ledger_transaction
  deferrable initially deferred for each row when (new.kind in ('deposit', 'refund'))
  execute function check_cash_entry();
