-- Push subscriptions, and a record of everything that was sent.

create table push_subscription (
  id bigint generated always as identity primary key,
  user_type text not null,
  user_id bigint not null references user_account (id) on delete cascade,
  endpoint text not null check (length(endpoint) <= 2048),
  p256dh text not null,
  auth text not null,
  -- The VAPID public key that the browser subscribed with: after a rotation old devices are told apart.
  vapid_key_id text not null,
  created_at timestamptz not null default now(),
  unique (user_type, user_id, endpoint)
);
create index push_subscription_user_idx on push_subscription (user_id);
create index push_subscription_endpoint_idx on push_subscription (endpoint);

create table delivery (
  id bigint generated always as identity primary key,
  -- One delivery an event, channel and address: a job that runs again finds its row instead of adding one.
  delivery_key text not null unique check (length(delivery_key) <= 300),
  channel text not null check (channel in ('email', 'sms', 'push')),
  event text not null,
  user_id bigint references user_account (id) on delete set null,
  recipient text not null,
  subject text not null default '',
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'suppressed')),
  attempts integer not null default 0,
  provider_id text,
  error text,
  -- What was rendered, kept only where no provider is configured (development), so that it can be read.
  content jsonb,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index delivery_recent_idx on delivery (id desc);
create index delivery_user_idx on delivery (user_id, id desc);
create index delivery_state_idx on delivery (state, id desc);
