-- Payments of a category that is marked as compensation are PAYROLL in bank files (NACHA-6).
alter table case_benefit add column compensation boolean not null default false;

-- A returned payment that will not be paid again ends, with a reason (WHERE-5).
alter table disbursement_request add column end_reason text check (length(end_reason) between 1 and 2000);
alter table disbursement_request
  drop constraint disbursement_request_status_check,
  add constraint disbursement_request_status_check
    check (status in ('draft', 'submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled', 'ended')),
  drop constraint disbursement_request_check1,
  add constraint disbursement_request_check1
    check (status not in ('approved', 'denied', 'batched', 'paid', 'returned', 'ended')
           or (decided_at is not null and approver_id is not null)),
  drop constraint disbursement_request_check4,
  add constraint disbursement_request_check4
    check (status not in ('returned', 'ended') or (returned_at is not null and return_code is not null)),
  add constraint ended_says_why check (status <> 'ended' or end_reason is not null);
-- An ended request no longer claims its scheduled payment.
drop index disbursement_request_scheduled_payment_idx;
create unique index disbursement_request_scheduled_payment_idx on disbursement_request (scheduled_payment_id)
  where status not in ('draft', 'denied', 'cancelled', 'returned', 'ended');

-- A rejected return, and a code that is not known, is recorded and moves nothing (RETURN-9).
alter table bank_return_entry
  drop constraint bank_return_entry_outcome_check,
  add constraint bank_return_entry_outcome_check
    check (outcome in ('returned', 'corrected', 'already_returned', 'noted', 'not_ours'));
