-- Who has entered an account decides about nothing that is paid to it (decision 0015), also when a colleague has since written the
-- holder's name differently or taken over what the bank said of it: each change is a row of its own, by its own writer.
alter table payee_bank_account add column entered_by bigint[] not null default '{}';

-- Everybody else than the owner who has entered the number that the row has. Of numbers, which are encrypted, the last four digits
-- are compared: one account too many leaves a decision to somebody else, one too few does not.
update payee_bank_account a set entered_by = before.by
  from (select n.id, array_agg(distinct o.created_by order by o.created_by) as by
          from payee_bank_account n
          join payee_bank_account o on o.user_id = n.user_id and o.id < n.id
               and o.routing_number = n.routing_number and o.last_four = n.last_four
         where n.replaced_at is null and n.created_by <> n.user_id and o.created_by not in (n.user_id, n.created_by)
         group by n.id) before
 where before.id = a.id;

create function keep_entered_by() returns trigger language plpgsql as $$
begin
  -- An owner who enters a number has entered it, whoever did before them.
  if new.created_by <> new.user_id then
    select coalesce(array_agg(distinct who order by who), '{}') into new.entered_by
      from (select a.created_by, a.entered_by, a.flag_code, a.routing_number, a.last_four from payee_bank_account a
             where a.user_id = new.user_id order by a.id desc limit 1) a,
           unnest(array[a.created_by] || a.entered_by) who
     where who not in (new.user_id, new.created_by)
       and (a.flag_code like 'C%' or (a.routing_number, a.last_four) = (new.routing_number, new.last_four));
  end if;
  return new;
end
$$;
create trigger payee_bank_account_keeps_entered_by before insert on payee_bank_account
  for each row execute function keep_entered_by();

create or replace function disbursement_insiders(d disbursement_request) returns bigint[] language plpgsql stable as $$
begin
  return array[d.created_by, d.submitted_by, d.payee_id] || d.revised_by
         || (select array[a.created_by] || a.entered_by from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null);
end
$$;

create or replace function batch_insiders(batch bigint) returns bigint[] language sql stable
  return (
    select array_agg(distinct insider)
      from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
           cross join lateral unnest(array[a.user_id, a.created_by] || a.entered_by) insider
     where e.batch_id = batch and e.released_at is null);
