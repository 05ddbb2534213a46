-- no transaction
-- Changed names of people on a case, for its timeline.
drop index concurrently if exists audit_entry_renamed_idx;
create index concurrently audit_entry_renamed_idx on audit_entry (case_id, happened_at desc, id desc)
  where action = 'case.rename_person';
