-- The file of a batch can be made again without payments that stop it, and is then signed again, also by people who signed the
-- previous file (BATCH-10). So a person signs each file once, and the rules about two signers compare signatures of one file.
alter table batch_signature
  drop constraint batch_signature_pkey,
  add constraint batch_signature_pkey primary key (batch_id, user_id, file_sha256);

create or replace function refuse_others_signature() returns trigger language plpgsql as $$
begin
  if is_others_checker(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s
                 where s.batch_id = new.batch_id and s.file_sha256 = new.file_sha256 and s.user_id <> new.user_id)) then
    raise exception 'the address of the person who signs batch % was changed by someone else', new.batch_id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$$;

create or replace function refuse_own_signature() returns trigger language plpgsql as $$
begin
  if is_person_among(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s
                 where s.batch_id = new.batch_id and s.file_sha256 = new.file_sha256 and s.user_id <> new.user_id)) then
    raise exception 'two signatures of batch % would be one person''s', new.batch_id
      using errcode = 'check_violation', constraint = 'signers_are_two';
  end if;
  return null;
end
$$;
