-- Who has changed what a request pays, or to whom: partly its makers, so that they do not decide about it. What a rule asks
-- for stands in a column, and not in the audit log.
alter table disbursement_request add column revised_by bigint[] not null default '{}';

update disbursement_request d set revised_by = revised.by
  from (select subject_id, array_agg(distinct actor_id order by actor_id) as by
          from audit_entry
         where subject_type = 'disbursement' and action = 'disbursement.revise' and actor_id is not null
           and after ?| array['amount_cents', 'payee_id']
         group by subject_id) revised
 where revised.subject_id = d.id;

-- Asked although they have changed it: staff who may approve decide instead.
update disbursement_request set approver_id = null where status = 'submitted' and approver_id = any (revised_by);
alter table disbursement_request add constraint reviser_is_never_checker check (approver_id <> all (revised_by));
