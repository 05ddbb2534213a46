-- When whoever has a staff session last proved who they are: before a change of what protects the account they prove it again
-- (decisions, section 11).
alter table admin_session add column confirmed_at timestamptz;
update admin_session set confirmed_at = created_at;
alter table admin_session alter column confirmed_at set not null;

-- Whether the password is as long as one has to be without two-factor, which cannot be turned off over a shorter one. Null for
-- one that was set before this was kept: the next sign-in tells.
alter table user_account add column password_stands_alone boolean;
