-- Two people are two persons, not two records (decisions, section 11): records that share an email address or a confirmed
-- phone number are one person, and so is whoever is linked through a third record.

-- The last number that its owner has proved by a code: it stays when the number is changed or two-factor is turned off.
alter table user_account add column confirmed_phone text check (confirmed_phone ~ '^\+[1-9][0-9]{6,14}$');
update user_account set confirmed_phone = phone where two_factor_method = 'sms';
create index user_account_confirmed_phone_idx on user_account (confirmed_phone) where confirmed_phone is not null;

create function keep_confirmed_phone() returns trigger language plpgsql as $$
begin
  if new.two_factor_method = 'sms' then
    new.confirmed_phone := new.phone;
  end if;
  return new;
end
$$;
create trigger user_account_keeps_confirmed_phone before insert or update on user_account
  for each row execute function keep_confirmed_phone();

-- The records of the person whose record this is. Every rule of two people asks this, here and in the code.
create function person_records(record bigint) returns bigint[] language sql stable
  return (
    with recursive person as (
      select u.id, u.email_address, u.confirmed_phone from user_account u where u.id = record
      union
      select u.id, u.email_address, u.confirmed_phone
        from person p join user_account u on u.email_address = p.email_address or u.confirmed_phone = p.confirmed_phone)
    select array_agg(p.id order by p.id) from person p);

create function is_person_among(record bigint, others bigint[]) returns boolean language sql stable
  return coalesce(person_records(record) && others, false);

-- Who has a part in a request, so that they do not decide about it: who wrote it, sent it, or changed its amount or payee, who
-- is paid by it, and who has set the bank account that it is paid to.
create function disbursement_insiders(d disbursement_request) returns bigint[] language plpgsql stable as $$
begin
  return array[d.created_by, d.submitted_by, d.payee_id,
               (select a.created_by from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null)]
         || d.revised_by;
end
$$;

-- Asked although they are one of them: staff who may approve decide instead.
update disbursement_request d set approver_id = null
 where d.status = 'submitted' and is_person_among(d.approver_id, array[d.created_by, d.submitted_by, d.payee_id]);

create function refuse_own_request() returns trigger language plpgsql as $$
begin
  if is_person_among(new.approver_id, disbursement_insiders(new)) then
    raise exception 'one person would ask and decide about request %', new.id
      using errcode = 'check_violation', constraint = 'maker_is_never_checker';
  end if;
  return null;
end
$$;
-- After the table's own checks: these speak of records, this one of persons.
create trigger disbursement_request_takes_two after insert or update of approver_id, created_by, submitted_by, payee_id
  on disbursement_request for each row when (new.approver_id is not null) execute function refuse_own_request();

-- Who is paid by a batch, and who has set the accounts that it pays to.
create function batch_insiders(batch bigint) returns bigint[] language sql stable
  return (
    select array_agg(a.user_id) || array_agg(a.created_by)
      from banking_batch_entry e join payee_bank_account a on a.id = e.bank_account_id
     where e.batch_id = batch and e.released_at is null);

create function refuse_own_batch() returns trigger language plpgsql as $$
declare
  insiders bigint[] := new.created_by || batch_insiders(new.id);
begin
  if is_person_among(new.approved_by, insiders) or is_person_among(new.handed_out_by, insiders) then
    raise exception 'one person would have two parts in batch %', new.id
      using errcode = 'check_violation', constraint = 'maker_never_approves';
  end if;
  return null;
end
$$;
create trigger banking_batch_takes_two after insert or update of approved_by, handed_out_by, created_by on banking_batch
  for each row when (new.approved_by is not null or new.handed_out_by is not null) execute function refuse_own_batch();

create function refuse_own_signature() returns trigger language plpgsql as $$
begin
  if is_person_among(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s where s.batch_id = new.batch_id and s.user_id <> new.user_id)) then
    raise exception 'two signatures of batch % would be one person''s', new.batch_id
      using errcode = 'check_violation', constraint = 'signers_are_two';
  end if;
  return null;
end
$$;
create trigger batch_signature_takes_two after insert on batch_signature
  for each row execute function refuse_own_signature();
