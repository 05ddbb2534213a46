-- A return file gives money back to cases: one person reads it in, another one confirms what it does (decisions, section 11).
-- Until then nothing of it is applied.
alter table bank_return_file
  add column status text not null default 'applied' check (status in ('waiting', 'applied', 'refused')),
  -- Encrypted, bound to its SHA-256, while it waits: account numbers stand in it.
  add column content bytea,
  -- The requests that it is about, so that it is listed for those who see all of them.
  add column disbursement_ids bigint[] not null default '{}',
  add column decided_by bigint references user_account (id),
  add column decided_at timestamptz,
  add column decision_reason text check (length(decision_reason) between 1 and 300),
  add check ((status = 'waiting') = (content is not null)),
  add check ((decided_by is null) = (decided_at is null) and (status <> 'waiting' or decided_by is null)),
  add check ((status = 'refused') = (decision_reason is not null));
alter table bank_return_file alter column status set default 'waiting';
-- The same file works once; one that was refused may be read in again.
alter table bank_return_file drop constraint bank_return_file_file_sha256_key;
create unique index bank_return_file_live_idx on bank_return_file (file_sha256) where status <> 'refused';
create index bank_return_file_waiting_idx on bank_return_file (id) where status = 'waiting';

create function keep_bank_return_file() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.file_sha256, new.filename, new.uploaded_by, new.uploaded_at)
        is distinct from (old.id, old.file_sha256, old.filename, old.uploaded_by, old.uploaded_at)
     or new.content is distinct from old.content and new.content is not null then
    raise exception 'a return file is decided about once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger bank_return_file_is_kept before update or delete on bank_return_file
  for each row execute function keep_bank_return_file();

create function refuse_own_return_file() returns trigger language plpgsql as $$
begin
  if new.decided_by is null or is_person_among(new.decided_by, array[new.uploaded_by]) then
    raise exception 'one person would read in and confirm return file %', new.id
      using errcode = 'check_violation', constraint = 'reader_never_confirms';
  end if;
  return null;
end
$$;
create trigger bank_return_file_takes_two after insert or update on bank_return_file
  for each row when (new.status = 'applied') execute function refuse_own_return_file();

-- What a file has done stands here: nothing before two persons have agreed on it.
create function refuse_early_return() returns trigger language plpgsql as $$
begin
  if not exists (select from bank_return_file f where f.id = new.file_id and f.status = 'applied') then
    raise exception 'return file % is not confirmed', new.file_id
      using errcode = 'check_violation', constraint = 'return_takes_two';
  end if;
  return null;
end
$$;
create trigger bank_return_entry_takes_two after insert or update on bank_return_entry
  for each row execute function refuse_early_return();
