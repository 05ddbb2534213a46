-- no transaction
-- Chains that belong to the admin who started them: handed on when that admin no longer sees the case.
drop index concurrently if exists message_chain_started_idx;
create index concurrently message_chain_started_idx on message_chain (assigned_admin_id)
  where assigned_admin_id = created_by and case_id is not null;
