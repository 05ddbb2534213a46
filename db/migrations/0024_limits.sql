-- How many calls were made in the present minute, by whom and from where (decisions, section 12): the same for every process.
-- Nothing is lost with it but the count of a minute, so that it is written to no log and no commit waits for a standby.
create unlogged table call_count (
  subject text primary key check (length(subject) <= 64),
  -- Minutes since 1970.
  minute int not null,
  calls int not null
) with (fillfactor = 50);

-- Where a link was followed from: its reader has the mailbox, and may sign in from there.
alter table password_reset add column used_from inet;
