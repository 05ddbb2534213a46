-- Compatible: idempotency_key: previous versions always name the user, and find their rows by key and user as before.
-- The platform's own processes also send an Idempotency-Key, and no user (NOTIFY-4).
alter table idempotency_key
  drop constraint idempotency_key_pkey,
  alter column user_id drop not null,
  add constraint idempotency_key_of_user unique nulls not distinct (key, user_id);
