-- Since when the method is on: its codes prove nothing for a sign-in that is older, which did not ask for one (decisions, section
-- 11). Null: since before this was kept.
alter table user_account add column two_factor_since timestamptz;

create function keep_two_factor_since() returns trigger language plpgsql as $$
begin
  if new.two_factor_method is null then
    new.two_factor_since := null;
  elsif new.two_factor_method is distinct from old.two_factor_method
    and new.two_factor_since is not distinct from old.two_factor_since then
    new.two_factor_since := now();
  end if;
  return new;
end
$$;
create trigger user_account_keeps_two_factor_since before update of two_factor_method on user_account
  for each row execute function keep_two_factor_since();
