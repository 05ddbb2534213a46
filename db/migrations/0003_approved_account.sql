-- An approval is given for the payee's bank account at that time, so that a change of account removes exactly the approvals for
-- the previous account (BANK-8).
alter table disbursement_request add column approved_account_id bigint references payee_bank_account (id);

update disbursement_request d
   set approved_account_id = coalesce(
         (select e.bank_account_id from banking_batch_entry e
           where e.disbursement_id = d.id and e.released_at is null order by e.id desc limit 1),
         (select a.id from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null))
 where d.status in ('approved', 'batched', 'paid', 'returned');

-- Whether the owner asked for approvals of the previous account to be requested again, also those that a bank file still holds.
alter table payee_bank_account add column resubmits boolean not null default false;
