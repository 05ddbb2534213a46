-- Why a request is a draft again after it was submitted; null for one that was never submitted (WHERE-1).
alter table disbursement_request
  add column draft_again_because text check (draft_again_because in ('bank_account_changed', 'changed'));

update disbursement_request d
   set draft_again_because = case when r.after ->> 'reason' = 'bank_account_changed' then 'bank_account_changed' else 'changed' end
  from (select distinct on (subject_id) subject_id, after from audit_entry
         where subject_type = 'disbursement' and action = 'disbursement.revise' and before ->> 'status' <> 'draft'
         order by subject_id, happened_at desc, id desc) r
 where d.status = 'draft' and r.subject_id = d.id;

-- The arrival day that the payee, maker, and approver know, and the day and reason of its last move (WHERE-3). A move to no day
-- has a reason and no `promised_date`; without both, no day was promised yet.
alter table disbursement_request
  add column promised_date date,
  add column promised_before date,
  add column moved_because text check (length(moved_because) between 1 and 40);
