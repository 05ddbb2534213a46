-- A provider's signed report is worth nothing the second time: each is taken once, and what staff have lifted stays lifted for
-- whatever happened before.

-- Reports that were taken. Kept longer than a report may be old (modules/notifications/provider-reports.ts).
create table provider_report (
  source text not null check (source in ('sendgrid', 'twilio')),
  report_id text not null check (length(report_id) between 1 and 300),
  received_at timestamptz not null default now(),
  primary key (source, report_id)
);
create index provider_report_received_idx on provider_report (received_at);

-- When staff last took an address off the suppression list.
create table suppression_lift (
  channel text not null check (channel in ('email', 'sms')),
  address text not null check (length(address) <= 320),
  lifted_at timestamptz not null default now(),
  primary key (channel, address)
);

-- The events of an agency and of a case, newest first, and the oldest of all.
create index agency_event_agency_idx on agency_event (agency_id, received_at desc, event_id);
drop index agency_event_case_idx;
create index agency_event_case_idx on agency_event (case_id, received_at desc, event_id) where case_id is not null;
create index agency_event_received_idx on agency_event (received_at);
