-- A payment may come back before its batch is settled: then it was never paid.
alter table disbursement_request drop constraint disbursement_request_check3;
alter table disbursement_request add constraint paid_says_when check (status <> 'paid' or paid_at is not null);

-- What came back may be paid again by another batch. Still, one entry at most pays a request.
drop index banking_batch_entry_live_idx;
create unique index banking_batch_entry_live_idx on banking_batch_entry (disbursement_id)
  where released_at is null and returned_at is null;
create index banking_batch_entry_request_idx on banking_batch_entry (disbursement_id, id desc);

-- Both tell by mail, too; what people switched off stays off.
update notification_preference set event = 'payment_arrived' where event = 'disbursement_paid';
update notification_preference set event = 'payment_returned' where event = 'disbursement_returned';
