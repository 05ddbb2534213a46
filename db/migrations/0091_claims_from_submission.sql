-- no transaction
-- A draft no longer claims the scheduled payment that it is for: its maker could prevent anyone else from requesting it. The index
-- keeps its name, by which the previous version recognizes a conflict.
drop index concurrently if exists disbursement_request_claim_idx;
create unique index concurrently disbursement_request_claim_idx on disbursement_request (scheduled_payment_id)
  where status not in ('draft', 'denied', 'cancelled', 'returned');
drop index concurrently if exists disbursement_request_scheduled_payment_idx;
alter index disbursement_request_claim_idx rename to disbursement_request_scheduled_payment_idx;
