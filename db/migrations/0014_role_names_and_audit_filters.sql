-- Names of roles that differ in capitals alone would be taken for one another. Where there are such already, the later ones
-- get their number behind the name.
update admin_role r set name = left(r.name, 80) || ' (' || r.id || ')'
 where exists (select from admin_role o where lower(o.name) = lower(r.name) and o.id < r.id);
create unique index admin_role_name_idx on admin_role (lower(name));

-- The audit log is read newest first, a page at a time, whatever it is narrowed to: one index a filter, each in that order.
drop index audit_entry_actor_idx, audit_entry_subject_idx, audit_entry_case_idx, audit_entry_happened_idx;
create index audit_entry_newest_idx on audit_entry (happened_at desc, id desc);
create index audit_entry_actor_idx on audit_entry (actor_id, happened_at desc, id desc);
create index audit_entry_action_idx on audit_entry (action, happened_at desc, id desc);
create index audit_entry_kind_idx on audit_entry (subject_type, happened_at desc, id desc);
create index audit_entry_subject_idx on audit_entry (subject_type, subject_id, happened_at desc, id desc);
create index audit_entry_case_idx on audit_entry (case_id, happened_at desc, id desc) where case_id is not null;
