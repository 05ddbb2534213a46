-- A case's balance is read from its balances alone: of its cash the row also keeps what was paid in (less what was paid back),
-- so that what was paid out follows without a sum over all postings.
alter table ledger_balance add column paid_in_cents bigint not null default 0;

create or replace function keep_ledger_balance() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_balance as kept (case_id, account, amount_cents, paid_in_cents)
    select p.case_id, p.account, sum(p.amount_cents),
           coalesce(sum(p.amount_cents) filter (where p.account = 'cash' and t.kind in ('deposit', 'refund')), 0)
      from posted p join ledger_transaction t on t.id = p.transaction_id
     group by p.case_id, p.account order by p.case_id, p.account
    on conflict (case_id, account) do update
      set amount_cents = kept.amount_cents + excluded.amount_cents,
          paid_in_cents = kept.paid_in_cents + excluded.paid_in_cents;
  return null;
end
$$;

alter table ledger_balance disable trigger ledger_balance_is_derived;
update ledger_balance b set paid_in_cents = coalesce((
  select sum(p.amount_cents) from ledger_posting p join ledger_transaction t on t.id = p.transaction_id
   where p.case_id = b.case_id and p.account = 'cash' and t.kind in ('deposit', 'refund')), 0)
 where b.account = 'cash';
alter table ledger_balance enable trigger ledger_balance_is_derived;
alter table ledger_balance add check (account = 'cash' or paid_in_cents = 0);
