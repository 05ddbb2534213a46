-- Nobody makes the checker of what they have a part in (decision 34): an account that somebody else gave another address decides about
-- no request for a week, and for a month about none in which whoever asked for the address has a part.
create function is_others_checker(record bigint, makers bigint[]) returns boolean language sql stable
  return exists (
    select from address_change c
     where c.user_id = record and c.requested_by <> record
       and (c.confirmed_at > now() - interval '7 days'
         or c.confirmed_at is not null and c.requested_at > now() - interval '30 days'
           and is_person_among(c.requested_by, makers)));

-- Asked although they may not decide now: staff who may approve decide instead.
update disbursement_request d set approver_id = null
 where d.status = 'submitted' and d.approver_id is not null and is_others_checker(d.approver_id, disbursement_insiders(d));

create function refuse_others_checker() returns trigger language plpgsql as $$
begin
  if is_others_checker(new.approver_id, disbursement_insiders(new)) then
    raise exception 'whoever decides about request % was given their address by somebody else', new.id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$$;
create trigger disbursement_request_takes_its_own_checker after insert or update of approver_id
  on disbursement_request for each row when (new.approver_id is not null) execute function refuse_others_checker();
