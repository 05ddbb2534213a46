-- Erasing a person (`npm run erase-person`) leaves what must be kept, with a pseudonym where their name, address or phone
-- stood (decision 0027). A record that is erased is never used again.
alter table user_account add column erased_at timestamptz check (erased_at is null or status = 'deactivated');

-- What is append-only takes one kind of update: of the columns that a trigger names, and only while a person is erased. The
-- role of the applications may update none of these tables at all.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_nargs > 0 and current_setting('platform.erasing', true) = 'yes' then
    if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

-- What is computed of a row (`subject_type`) is not there yet when a trigger looks at it.
create or replace trigger audit_entry_is_append_only before update or delete on audit_entry
  for each row execute function refuse_change('subject_label', 'before', 'after', 'ip_address', 'visit_id', 'subject_type');
create or replace trigger ledger_transaction_is_append_only before update or delete on ledger_transaction
  for each row execute function refuse_change('memo');
create or replace trigger banking_batch_step_is_append_only before update or delete on banking_batch_step
  for each row execute function refuse_change('note');

create or replace function keep_cash_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('platform.erasing', true) = 'yes'
     and to_jsonb(new) - '{memo,decision_reason}'::text[] = to_jsonb(old) - '{memo,decision_reason}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.case_id, new.kind, new.amount_cents, new.memo, new.recorded_by, new.recorded_at)
        is distinct from (old.id, old.case_id, old.kind, old.amount_cents, old.memo, old.recorded_by, old.recorded_at) then
    raise exception 'what was recorded about cash is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
