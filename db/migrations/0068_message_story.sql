-- no transaction
-- What happened in a case, the newest first: of a conversation that goes on for years the newest messages alone are read.
drop index concurrently if exists message_story_idx;
create index concurrently message_story_idx on message (chain_id, created_at desc, id desc) where retracted_at is null;
