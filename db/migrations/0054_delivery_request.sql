-- Which request a delivery goes back to, so that support finds all that came of it.
alter table delivery add column request_id text;
