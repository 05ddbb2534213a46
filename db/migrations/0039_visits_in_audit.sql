-- The random number of the visit in which something was changed: what a person reads on an error page leads to what they did.
alter table audit_entry add column visit_id uuid;
create index audit_entry_visit_idx on audit_entry (visit_id, happened_at desc, id desc) where visit_id is not null;
