-- The applications split text into words (lib/database/search-vector.ts), because PostgreSQL's parser depends on the locale of the
-- database. Rows keep the words that they have until the worker has rewritten them (task index_words), newest first.
alter table message alter column search drop expression;
alter table message_chain alter column search drop expression;
alter table case_file alter column search drop expression;
alter table user_account alter column search drop expression;

-- The form of the words in `search`; 0: made by PostgreSQL, and to be rewritten.
alter table message add column search_version smallint not null default 0;
alter table message_chain add column search_version smallint not null default 0;
alter table case_file add column search_version smallint not null default 0;
alter table user_account add column search_version smallint not null default 0;

-- For statements that write a text without its words, such as those of the previous release and of an operator. Words of a
-- person's name have weight A. The arguments name the columns of the text.
create function index_plain_words() returns trigger language plpgsql as $$
declare
  texts jsonb;
  earlier jsonb;
  names text;
  others text;
begin
  if tg_op = 'INSERT' then
    if new.search is not null then return new; end if;
  else
    if new.search is distinct from old.search then return new; end if;
    earlier := to_jsonb(old);
  end if;
  texts := to_jsonb(new);
  if not exists (select from unnest(tg_argv) name where texts ->> name is distinct from earlier ->> name) then return new; end if;
  names := concat_ws(' ', texts ->> 'first_name', texts ->> 'last_name');
  others := concat_ws(' ', texts ->> 'message', texts ->> 'subject', texts ->> 'name', texts ->> 'email_address');
  new.search := setweight(to_tsvector('simple', regexp_replace(names, '[[:punct:]]+', ' ', 'g')), 'A')
    || to_tsvector('simple', regexp_replace(others, '[[:punct:]]+', ' ', 'g'));
  new.search_version := 0;
  return new;
end
$$;
create trigger message_plain_words before insert or update of message on message
  for each row execute function index_plain_words('message');
create trigger message_chain_plain_words before insert or update of subject on message_chain
  for each row execute function index_plain_words('subject');
create trigger case_file_plain_words before insert or update of name on case_file
  for each row execute function index_plain_words('name');
create trigger user_account_plain_words before insert or update of first_name, last_name, email_address on user_account
  for each row execute function index_plain_words('first_name', 'last_name', 'email_address');
