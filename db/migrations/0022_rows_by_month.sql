-- no transaction
-- Prepares `delivery` and `sign_in` for partitions by month (0023), while everyone goes on writing. A partitioned table has no unique
-- rule without its month, and a month is removed as a whole, so what holds over all time moves to tables of its own.

-- The keys of deliveries: each is delivered once, whatever its month. The trigger works as `on conflict do nothing` does: a second
-- delivery with a key waits for the transaction of the first, and is then left out. A delivery that moves to another month is the same.
create table if not exists delivery_key (
  key text primary key,
  delivery_id bigint not null,
  created_at timestamptz not null
);
create index if not exists delivery_key_age_idx on delivery_key (created_at);
create or replace function claim_delivery_key() returns trigger language plpgsql security definer set search_path = public, pg_temp as
  'begin insert into delivery_key (key, delivery_id, created_at) values (new.delivery_key, new.id, new.created_at) on conflict do nothing
     ; if found or exists (select from delivery_key where key = new.delivery_key and delivery_id = new.id) then return new; end if; return null; end';
create or replace trigger delivery_has_a_new_key before insert on delivery for each row execute function claim_delivery_key();
insert into delivery_key (key, delivery_id, created_at) select delivery_key, id, created_at from delivery on conflict do nothing;

-- Each person's last sign-in, which stays when its month is removed: lists of people show its time, and mails use its language.
create table if not exists last_sign_in (
  user_id bigint primary key references user_account on delete cascade,
  sign_in_id bigint not null,
  signed_in_at timestamptz not null,
  locale text not null
);
create or replace function note_last_sign_in() returns trigger language plpgsql security definer set search_path = public, pg_temp as
  'begin insert into last_sign_in as last (user_id, sign_in_id, signed_in_at, locale) values (new.user_id, new.id, new.signed_in_at, new.locale)
     on conflict (user_id) do update set sign_in_id = excluded.sign_in_id, signed_in_at = excluded.signed_in_at, locale = excluded.locale
      where excluded.sign_in_id > last.sign_in_id; return null; end';
create or replace trigger sign_in_is_the_last after insert on sign_in for each row execute function note_last_sign_in();
insert into last_sign_in (user_id, sign_in_id, signed_in_at, locale)
select distinct on (user_id) user_id, id, signed_in_at, locale from sign_in order by user_id, id desc
on conflict (user_id) do nothing;

-- Indexes of the first partition, which is the table as it is.
drop index concurrently if exists delivery_id_created_at_key;
create unique index concurrently delivery_id_created_at_key on delivery (id, created_at);
drop index concurrently if exists delivery_key_idx;
create index concurrently delivery_key_idx on delivery (delivery_key);
drop index concurrently if exists sign_in_id_signed_in_at_key;
create unique index concurrently sign_in_id_signed_in_at_key on sign_in (id, signed_in_at);

-- The end of the first partition: two months after the newest row, which leaves time for 0023, or the start of this month in a new
-- database. With the checks, 0023 need not read the rows.
alter table delivery drop constraint if exists delivery_before_months;
do $$ begin execute format('alter table delivery add constraint delivery_before_months check (created_at < %L) not valid', (select (date_trunc('month', greatest(now(), max(created_at)) at time zone 'UTC') + case when exists (select from user_account) then interval '2 months' else '0' end) at time zone 'UTC' from delivery)); end $$;
alter table delivery validate constraint delivery_before_months;
alter table sign_in drop constraint if exists sign_in_before_months;
do $$ begin execute format('alter table sign_in add constraint sign_in_before_months check (signed_in_at < %L) not valid', (select (date_trunc('month', greatest(now(), max(signed_in_at)) at time zone 'UTC') + case when exists (select from user_account) then interval '2 months' else '0' end) at time zone 'UTC' from sign_in)); end $$;
alter table sign_in validate constraint sign_in_before_months;
