-- no transaction
-- The newest cases of an escrow specialist are read in their order. With the other index, PostgreSQL would read the cases of
-- all specialists in this order until it has found enough.
drop index concurrently if exists case_file_specialist_updated_idx;
create index concurrently case_file_specialist_updated_idx on case_file (escrow_specialist_id, updated_at desc, id desc)
  where escrow_specialist_id is not null;
drop index concurrently if exists case_file_escrow_specialist_idx;
