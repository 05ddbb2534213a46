-- Nobody makes their checker (decision 34), wherever money or a role takes a second person and not for requests alone. Asked when
-- somebody takes that part, and not again: an address that is changed later takes nothing back.
create function refuse_others_second() returns trigger language plpgsql as $$
begin
  raise exception 'whoever decides about % % was given their address by somebody else', tg_table_name, new.id
    using errcode = 'check_violation', constraint = 'checker_is_their_own';
end
$$;

create trigger banking_batch_takes_its_own_checker after update of approved_by on banking_batch for each row
  when (new.approved_by is distinct from old.approved_by
    and is_others_checker(new.approved_by, new.created_by || batch_insiders(new.id))) execute function refuse_others_second();

create trigger banking_batch_takes_its_own_payer after update of handed_out_by on banking_batch for each row
  when (new.handed_out_by is distinct from old.handed_out_by
    and is_others_checker(new.handed_out_by, new.created_by || batch_insiders(new.id))) execute function refuse_others_second();

-- A signature has no number of its own: a function of its own, which finds the other signer, too.
create function refuse_others_signature() returns trigger language plpgsql as $$
begin
  if is_others_checker(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s where s.batch_id = new.batch_id and s.user_id <> new.user_id)) then
    raise exception 'whoever signs batch % was given their address by somebody else', new.batch_id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$$;
create trigger batch_signature_takes_its_own_signer after insert on batch_signature
  for each row execute function refuse_others_signature();

create trigger cash_entry_takes_its_own_checker after update of decided_by on cash_entry for each row
  when (new.status = 'confirmed' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.recorded_by])) execute function refuse_others_second();

create trigger bank_return_file_takes_its_own_checker after update of decided_by on bank_return_file for each row
  when (new.status = 'applied' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.uploaded_by])) execute function refuse_others_second();

create trigger role_grant_takes_its_own_checker after update of decided_by on role_grant for each row
  when (new.status = 'confirmed' and new.decided_by is distinct from old.decided_by
    and is_others_checker(new.decided_by, array[new.asked_by, new.user_id])) execute function refuse_others_second();
