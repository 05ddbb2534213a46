-- An approval that can still be undone: until when, and the account that the request was approved for before (REQUEST-19).
alter table disbursement_request add column approval_undo jsonb;
