-- An admin sees the chains that they started: one branch of the list, which walks this index.
create index message_chain_created_by_idx on message_chain (created_by, last_message_id desc);
