-- no transaction
-- Lines that were there before. Their cases are held, so that none is reopened meanwhile; who is at work on one keeps it, and its lines
-- are marked when it ends again.
with ended as materialized (select id from case_file where status in ('closed', 'cancelled') for share skip locked)
update scheduled_payment s set case_ended = true from ended where s.case_id = ended.id and not s.case_ended;
drop index concurrently if exists scheduled_payment_waiting_idx;
create index concurrently scheduled_payment_waiting_idx on scheduled_payment (due_date, id)
  where status = 'planned' and not case_ended;
