-- What happened in a case, the newest first: the entries of the audit log that are part of its story, and what was paid in or back.
create index audit_entry_story_idx on audit_entry (case_id, happened_at desc, id desc)
  where case_id is not null and action in (
    'case.create', 'case.change_status', 'disbursement.submit', 'disbursement.approve', 'disbursement.deny',
    'disbursement.cancel', 'disbursement.batch', 'disbursement.unbatch', 'disbursement.pay', 'disbursement.return',
    'disbursement.retry');
create index ledger_transaction_cash_idx on ledger_transaction (case_id, created_at desc, id desc)
  where kind in ('deposit', 'refund');
