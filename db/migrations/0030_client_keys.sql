-- A message's identity is its sender's key, from the tap to the row: kept with the message, for ever, not only as long as
-- the answer to it is. Messages of before, and those sent without a key, have none.
alter table message add column client_key text check (length(client_key) between 1 and 255);
create unique index message_client_key_idx on message (from_id, client_key) where client_key is not null;
