-- no transaction
-- The rows whose words for searching are to be rewritten: all at first, and then nearly none.
drop index concurrently if exists message_to_index_idx;
create index concurrently message_to_index_idx on message (id) where search_version < 1;
drop index concurrently if exists message_chain_to_index_idx;
create index concurrently message_chain_to_index_idx on message_chain (id) where search_version < 1;
drop index concurrently if exists case_file_to_index_idx;
create index concurrently case_file_to_index_idx on case_file (id) where search_version < 1;
drop index concurrently if exists user_account_to_index_idx;
create index concurrently user_account_to_index_idx on user_account (id) where search_version < 1;
