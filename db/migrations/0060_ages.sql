-- no transaction
-- What is removed when its time is over is found by its age.
drop index concurrently if exists sign_in_age_idx;
create index concurrently sign_in_age_idx on sign_in (signed_in_at, id);
drop index concurrently if exists delivery_age_idx;
create index concurrently delivery_age_idx on delivery (created_at, id);
drop index concurrently if exists address_change_age_idx;
create index concurrently address_change_age_idx on address_change (expires_at);
drop index concurrently if exists suppression_lift_age_idx;
create index concurrently suppression_lift_age_idx on suppression_lift (lifted_at);
drop index concurrently if exists proof_of_funds_age_idx;
create index concurrently proof_of_funds_age_idx on proof_of_funds (expires_at);
