-- When somebody was last mailed about a chain, and up to which message: what follows within ten minutes is gathered.
create table message_mail (
  chain_id bigint not null references message_chain (id) on delete cascade,
  user_id bigint not null references user_account (id) on delete cascade,
  mailed_at timestamptz not null,
  up_to_message_id bigint not null,
  primary key (chain_id, user_id)
);
create index message_mail_user_idx on message_mail (user_id);
