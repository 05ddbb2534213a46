-- People of an agency see a case through it. Who was moved to another agency stayed on the former one's cases, and in their
-- conversations: both end.
update case_participant p set left_at = now()
  from case_file c, user_account u
 where c.id = p.case_id and u.id = p.user_id and p.left_at is null
   and u.user_type in ('cm', 'owner') and u.agency_id is distinct from c.agency_id;

update message_chain_group g set left_at = now()
  from message_chain m, case_file c, user_account u
 where m.id = g.chain_id and c.id = m.case_id and u.id = g.user_id and g.left_at is null
   and u.user_type in ('cm', 'owner') and u.agency_id is distinct from c.agency_id;
