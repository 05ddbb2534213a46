-- no transaction
-- A draft no longer claims the scheduled payment that it is for: its maker could keep it from being asked for.
drop index concurrently if exists disbursement_request_claim_idx;
create unique index concurrently disbursement_request_claim_idx on disbursement_request (scheduled_payment_id)
  where status not in ('draft', 'denied', 'cancelled', 'returned');
drop index concurrently if exists disbursement_request_scheduled_payment_idx;
