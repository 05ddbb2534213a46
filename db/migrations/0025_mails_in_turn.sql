-- When a mail may go: nobody gets more than so many in an hour, what protects an account apart.
alter table delivery add column due_at timestamptz;
create index delivery_recipient_idx on delivery (lower(recipient), (coalesce(due_at, created_at)) desc)
 where channel = 'email';

-- Where the code of a challenge went: turning a second factor on means the number, or the address, that it was proven with.
alter table tfa_challenge add column sent_to text;
