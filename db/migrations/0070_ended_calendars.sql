-- Whether a line's case has ended. Noted for one reason: so that a list of what waits passes by the lines that nobody cancelled,
-- which become ever more. The case's own state is what counts, and whoever lists lines asks for it too.
alter table scheduled_payment add column case_ended boolean not null default false;
