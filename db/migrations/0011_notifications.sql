-- Devices by name, what people switched off, addresses that take nothing, and what providers report afterwards.

alter table push_subscription
  -- What the browser called itself when it subscribed, for the list of devices.
  add column user_agent text not null default '' check (length(user_agent) <= 500),
  -- Since when its VAPID key is refused: the device has to subscribe again, and gets nothing until then.
  add column renew_since timestamptz;

-- Only what differs from the default: a missing row is "on".
create table notification_preference (
  user_id bigint not null references user_account (id) on delete cascade,
  event text not null check (length(event) <= 100),
  channel text not null check (channel in ('email', 'sms', 'push')),
  enabled boolean not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, event, channel)
);

-- Addresses and numbers that providers will not deliver to. Staff lift an entry by removing it.
create table suppression (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('email', 'sms')),
  -- As compared: an email address in lower case, a number in E.164.
  address text not null check (length(address) <= 320),
  reason text not null check (reason in ('bounced', 'invalid', 'unsubscribed', 'complained')),
  source text not null check (source in ('sendgrid', 'twilio')),
  detail text not null default '' check (length(detail) <= 500),
  created_at timestamptz not null default now(),
  unique (channel, address)
);

alter table delivery
  -- What the provider reported after it had taken the message.
  add column outcome text check (outcome in ('delivered', 'bounced')),
  add column outcome_at timestamptz,
  -- The job of a delivery that failed for good, so that staff can have it tried again; never one with a code or a link.
  add column retry_job jsonb;
create index delivery_provider_idx on delivery (provider_id) where provider_id is not null;

-- Workers that are alive. What a worker had taken is given free when its row is no longer renewed.
create table worker_heartbeat (
  -- graphile-worker's own name of the pool or worker that takes jobs.
  worker_id text primary key check (length(worker_id) <= 200),
  seen_at timestamptz not null default now()
);
