-- What the links that switch somebody's mails off are signed with: a key a person, so that no process needs a secret more, and
-- the link in an old mail works for as long as the account is there.
create table unsubscribe_key (
  user_id bigint primary key references user_account (id) on delete cascade,
  key bytea not null check (octet_length(key) = 32)
);
