-- The admins who cannot answer conversations: their account is not active, or their role does not read messages (CHAIN-6). They are
-- few, which the planner could not know of a subquery.
create function unable_admins() returns setof bigint language sql stable rows 1 as $$
  select u.id from user_account u
   where u.user_type = 'admin'
     and not (u.status = 'active' and exists (
           select from admin_role_permission p where p.admin_role_id = u.admin_role_id and p.permission = 'view_messages'))
$$;
