-- no transaction
-- The words of requests, and the names of files among the words of messages. The worker rewrites rows with an older form of their
-- words (task index_words), newest first; until then, requests are not found by their words, and messages as before.
alter table disbursement_request add column if not exists search tsvector;
alter table disbursement_request add column if not exists search_version smallint not null default 0;
-- For the previous release and for operators: the row loses its words until the worker has made them.
create or replace trigger disbursement_request_plain_words
  before insert or update of description, category, amount_cents on disbursement_request
  for each row execute function index_plain_words('description', 'category', 'amount_cents');
drop index concurrently if exists disbursement_request_search_idx;
create index concurrently disbursement_request_search_idx on disbursement_request using gin (search) with (fastupdate = off);
drop index concurrently if exists disbursement_request_old_words_idx;
create index concurrently disbursement_request_old_words_idx on disbursement_request (id) where search_version < 2;
drop index concurrently if exists message_old_words_idx;
create index concurrently message_old_words_idx on message (id) where search_version < 2;
drop index concurrently if exists message_to_index_idx;
drop index concurrently if exists message_chain_old_words_idx;
create index concurrently message_chain_old_words_idx on message_chain (id) where search_version < 2;
drop index concurrently if exists message_chain_to_index_idx;
drop index concurrently if exists case_file_old_words_idx;
create index concurrently case_file_old_words_idx on case_file (id) where search_version < 2;
drop index concurrently if exists case_file_to_index_idx;
drop index concurrently if exists user_account_old_words_idx;
create index concurrently user_account_old_words_idx on user_account (id) where search_version < 2;
drop index concurrently if exists user_account_to_index_idx;
