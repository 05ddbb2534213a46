-- no transaction
-- The admins who cannot answer conversations (CHAIN-6) are looked up when staff list, count, and search conversations. Now only
-- they are read: with 5,000 admins, reading all of them took more than half of the time.
drop index concurrently if exists user_account_unable_admin_idx;
create index concurrently user_account_unable_admin_idx on user_account (id)
  where user_type = 'admin' and (status <> 'active' or admin_role_id is null);
create or replace function unable_admins() returns setof bigint language sql stable rows 1 as $$
  select u.id from user_account u where u.user_type = 'admin' and (u.status <> 'active' or u.admin_role_id is null)
  union all
  -- Without "offset 0", the planner would read the admins of all roles.
  select u.id from admin_role r
   cross join lateral (select id from user_account where admin_role_id = r.id and status = 'active' offset 0) u
   where not exists (select from admin_role_permission p where p.admin_role_id = r.id and p.permission = 'view_messages')
$$;
