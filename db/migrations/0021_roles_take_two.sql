-- A role that may move money is granted by one administrator and confirmed by another (decisions, section 11). What waits stands here
-- and not with the roles, so that nothing that asks for rights can take it for one.
create table role_grant (
  id bigint generated always as identity primary key,
  admin_role_id bigint not null references admin_role (id) on delete cascade,
  -- Who is to get the role; or else what the role is to allow besides.
  user_id bigint references user_account (id),
  permissions text[] check (cardinality(permissions) > 0),
  asked_by bigint not null references user_account (id),
  asked_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'confirmed', 'refused')),
  decided_by bigint references user_account (id),
  decided_at timestamptz,
  check ((user_id is null) = (permissions is not null)),
  check ((status = 'waiting') = (decided_by is null) and (decided_by is null) = (decided_at is null))
);
create unique index role_grant_of_a_person_idx on role_grant (user_id) where status = 'waiting';
create unique index role_grant_of_a_role_idx on role_grant (admin_role_id) where status = 'waiting' and user_id is null;
create index role_grant_role_idx on role_grant (admin_role_id);

create function keep_role_grant() returns trigger language plpgsql as $$
begin
  if old.status <> 'waiting'
     or (new.id, new.admin_role_id, new.user_id, new.permissions, new.asked_by, new.asked_at)
        is distinct from (old.id, old.admin_role_id, old.user_id, old.permissions, old.asked_by, old.asked_at) then
    raise exception 'a grant is decided about once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger role_grant_is_kept before update on role_grant for each row execute function keep_role_grant();

-- Neither who has asked for it nor who gets it.
create function refuse_own_role_grant() returns trigger language plpgsql as $$
begin
  if is_person_among(new.decided_by, array[new.asked_by, new.user_id]) then
    raise exception 'one person would grant and confirm role %', new.admin_role_id
      using errcode = 'check_violation', constraint = 'granter_never_confirms';
  end if;
  return null;
end
$$;
create trigger role_grant_takes_two after insert or update on role_grant
  for each row when (new.status = 'confirmed') execute function refuse_own_role_grant();
