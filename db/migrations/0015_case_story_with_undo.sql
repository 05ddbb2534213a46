-- no transaction
-- The timeline of a case also shows approvals that were undone, so the index on its entries in the audit log has to contain them. The
-- previous release asks for fewer actions, which the new index contains as well.
drop index concurrently if exists audit_entry_case_timeline_idx;
create index concurrently audit_entry_case_timeline_idx on audit_entry (case_id, happened_at desc, id desc)
  where case_id is not null and action in (
    'case.create', 'case.change_status', 'disbursement.submit', 'disbursement.approve', 'disbursement.undo_approval', 'disbursement.deny',
    'disbursement.cancel', 'disbursement.remove_approval', 'disbursement.batch', 'disbursement.unbatch', 'disbursement.send',
    'disbursement.pay', 'disbursement.return', 'disbursement.retry', 'disbursement.end');
drop index concurrently if exists audit_entry_case_story_idx;
