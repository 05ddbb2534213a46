-- What each account of a case holds, so that a posting is checked against one row and not against all postings before it:
-- settling a thousand requests of a case cost a sum over the whole case each time. The postings stay what balances are
-- derived from; this row only refuses what they may not come to.

create table ledger_balance (
  case_id bigint not null references case_file (id),
  account text not null check (account in ('cash', 'funds', 'held')),
  amount_cents bigint not null,
  primary key (case_id, account)
);
insert into ledger_balance (case_id, account, amount_cents)
  select case_id, account, sum(amount_cents) from ledger_posting group by case_id, account;

-- Writes the balances of the postings of one statement. Two transactions that move the money of one case meet here, whoever
-- has locked what before. With the owner's rights: the applications' role writes no balance itself (db/grant.ts).
create function keep_ledger_balance() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_balance as kept (case_id, account, amount_cents)
    select case_id, account, sum(amount_cents) from posted group by case_id, account order by case_id, account
    on conflict (case_id, account) do update set amount_cents = kept.amount_cents + excluded.amount_cents;
  return null;
end
$$;
create trigger ledger_posting_is_counted after insert on ledger_posting
  referencing new table as posted for each statement execute function keep_ledger_balance();

-- A balance follows from the postings and is written by nobody else, the schema's owner included.
create function refuse_own_balance() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'a balance is written by its postings alone' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger ledger_balance_is_derived before insert or update or delete on ledger_balance
  for each row execute function refuse_own_balance();
create trigger ledger_balance_is_never_emptied before truncate on ledger_balance
  for each statement execute function refuse_change();

-- Asked at the end of the transaction, as the sum over all postings was before: what it holds then is what counts.
create function check_ledger_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from ledger_balance
     where case_id = new.case_id and account = new.account
       and case account when 'cash' then amount_cents < 0 else amount_cents > 0 end
  ) then
    raise exception 'an account of case % would be overdrawn', new.case_id using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger ledger_balance_is_covered after insert or update on ledger_balance
  deferrable initially deferred for each row
  when (case new.account when 'cash' then new.amount_cents < 0 else new.amount_cents > 0 end)
  execute function check_ledger_balance();

-- What is left to ask of a posting: that its transaction sums to nothing.
create or replace function check_ledger() returns trigger language plpgsql as $$
declare
  entry bigint := coalesce(to_jsonb(new) ->> 'transaction_id', to_jsonb(new) ->> 'id');
begin
  if (select coalesce(sum(amount_cents), 1) from ledger_posting where transaction_id = entry) <> 0 then
    raise exception 'the postings of transaction % do not sum to zero', entry using errcode = 'check_violation';
  end if;
  return null;
end
$$;
