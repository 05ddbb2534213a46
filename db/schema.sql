-- Made by `npm run generate` from the migrated database. Read it; change db/migrations instead.

-- admin_permission
value text not null
category text not null
name text not null
constraint admin_permission_pkey PRIMARY KEY (value)
constraint admin_permission_value_check CHECK ((value ~ '^[a-z][a-z0-9_]*$'::text))

-- admin_role
id bigint not null generated always as identity
name text not null
created_at timestamp with time zone not null default now()
updated_at timestamp with time zone not null default now()
constraint admin_role_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint admin_role_name_key UNIQUE (name)
constraint admin_role_pkey PRIMARY KEY (id)

-- admin_role_permission
admin_role_id bigint not null
permission text not null
constraint admin_role_permission_admin_role_id_fkey FOREIGN KEY (admin_role_id) REFERENCES admin_role(id) ON DELETE CASCADE
constraint admin_role_permission_permission_fkey FOREIGN KEY (permission) REFERENCES admin_permission(value) ON DELETE CASCADE
constraint admin_role_permission_pkey PRIMARY KEY (admin_role_id, permission)
CREATE INDEX admin_role_permission_permission_idx ON public.admin_role_permission USING btree (permission)

-- admin_session
id_hash bytea not null
user_id bigint not null
user_type text not null
csrf_token text not null
created_at timestamp with time zone not null default now()
last_active_at timestamp with time zone not null default now()
constraint admin_session_id_hash_check CHECK ((length(id_hash) = 32))
constraint admin_session_pkey PRIMARY KEY (id_hash)
constraint admin_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX admin_session_last_active_idx ON public.admin_session USING btree (last_active_at)
CREATE INDEX admin_session_user_idx ON public.admin_session USING btree (user_id)

-- agency
id bigint not null generated always as identity
name text not null
created_at timestamp with time zone not null default now()
constraint agency_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
constraint agency_pkey PRIMARY KEY (id)

-- agency_api_key
id bigint not null generated always as identity
agency_id bigint not null
key_hash bytea not null
created_at timestamp with time zone not null default now()
last_used_at timestamp with time zone
revoked_at timestamp with time zone
constraint agency_api_key_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint agency_api_key_key_hash_check CHECK ((length(key_hash) = 32))
constraint agency_api_key_key_hash_key UNIQUE (key_hash)
constraint agency_api_key_pkey PRIMARY KEY (id)
CREATE INDEX agency_api_key_agency_idx ON public.agency_api_key USING btree (agency_id)

-- agency_event
agency_id bigint not null
event_id text not null
type text not null
case_id bigint
data jsonb
received_at timestamp with time zone not null default now()
constraint agency_event_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint agency_event_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint agency_event_event_id_check CHECK (((length(event_id) >= 1) AND (length(event_id) <= 255)))
constraint agency_event_pkey PRIMARY KEY (agency_id, event_id)
constraint agency_event_type_check CHECK (((length(type) >= 1) AND (length(type) <= 100)))
CREATE INDEX agency_event_case_idx ON public.agency_event USING btree (case_id) WHERE (case_id IS NOT NULL)

-- audit_entry
id bigint not null generated always as identity
happened_at timestamp with time zone not null default now()
actor_id bigint
actor_type text
layer text not null
action text not null
subject_type text not null generated always as (split_part(action, '.'::text, 1)) stored
subject_id bigint
subject_label text not null default ''::text
case_id bigint
before jsonb
after jsonb
ip_address inet
request_id text
constraint audit_entry_action_check CHECK (((action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$'::text) AND (length(action) <= 64)))
constraint audit_entry_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES user_account(id)
constraint audit_entry_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint audit_entry_layer_check CHECK ((layer = ANY (ARRAY['api'::text, 'admin'::text, 'worker'::text, 'system'::text])))
constraint audit_entry_pkey PRIMARY KEY (id)
constraint audit_entry_request_id_check CHECK ((length(request_id) <= 64))
constraint audit_entry_subject_label_check CHECK ((length(subject_label) <= 300))
CREATE INDEX audit_entry_actor_idx ON public.audit_entry USING btree (actor_id, id DESC) WHERE (actor_id IS NOT NULL)
CREATE INDEX audit_entry_case_idx ON public.audit_entry USING btree (case_id, id DESC) WHERE (case_id IS NOT NULL)
CREATE INDEX audit_entry_happened_idx ON public.audit_entry USING btree (happened_at DESC)
CREATE INDEX audit_entry_subject_idx ON public.audit_entry USING btree (subject_type, subject_id, id DESC)
CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change()
CREATE TRIGGER audit_entry_is_never_emptied BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

-- backup_code
user_id bigint not null
code_hash bytea not null
used_at timestamp with time zone
constraint backup_code_code_hash_check CHECK ((length(code_hash) = 32))
constraint backup_code_pkey PRIMARY KEY (user_id, code_hash)
constraint backup_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

-- case_admin
case_id bigint not null
user_id bigint not null
added_at timestamp with time zone not null default now()
constraint case_admin_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id) ON DELETE CASCADE
constraint case_admin_pkey PRIMARY KEY (case_id, user_id)
constraint case_admin_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX case_admin_user_idx ON public.case_admin USING btree (user_id, case_id)

-- case_file
id bigint not null generated always as identity
name text not null
status text not null default 'intake'::text
agency_id bigint
escrow_specialist_id bigint
created_at timestamp with time zone not null default now()
updated_at timestamp with time zone not null default now()
constraint case_file_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint case_file_escrow_specialist_id_fkey FOREIGN KEY (escrow_specialist_id) REFERENCES user_account(id)
constraint case_file_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
constraint case_file_pkey PRIMARY KEY (id)
constraint case_file_status_check CHECK ((status = ANY (ARRAY['intake'::text, 'pending_funding'::text, 'active'::text, 'on_hold'::text, 'closing'::text, 'closed'::text, 'cancelled'::text])))
CREATE INDEX case_file_agency_idx ON public.case_file USING btree (agency_id)
CREATE INDEX case_file_escrow_specialist_idx ON public.case_file USING btree (escrow_specialist_id) WHERE (escrow_specialist_id IS NOT NULL)
CREATE INDEX case_file_updated_idx ON public.case_file USING btree (updated_at DESC, id DESC)

-- case_participant
case_id bigint not null
user_id bigint not null
position smallint not null default 1
joined_at timestamp with time zone not null default now()
left_at timestamp with time zone
constraint case_participant_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id) ON DELETE CASCADE
constraint case_participant_pkey PRIMARY KEY (case_id, user_id)
constraint case_participant_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX case_participant_user_idx ON public.case_participant USING btree (user_id, case_id) WHERE (left_at IS NULL)

-- delivery
id bigint not null generated always as identity
delivery_key text not null
channel text not null
event text not null
user_id bigint
recipient text not null
subject text not null default ''::text
state text not null default 'queued'::text
attempts integer not null default 0
provider_id text
error text
content jsonb
created_at timestamp with time zone not null default now()
sent_at timestamp with time zone
constraint delivery_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text])))
constraint delivery_delivery_key_check CHECK ((length(delivery_key) <= 300))
constraint delivery_delivery_key_key UNIQUE (delivery_key)
constraint delivery_pkey PRIMARY KEY (id)
constraint delivery_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'suppressed'::text])))
constraint delivery_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE SET NULL
CREATE INDEX delivery_recent_idx ON public.delivery USING btree (id DESC)
CREATE INDEX delivery_state_idx ON public.delivery USING btree (state, id DESC)
CREATE INDEX delivery_user_idx ON public.delivery USING btree (user_id, id DESC)

-- function refuse_change
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$


-- idempotency_key
user_id bigint not null
key text not null
request_hash bytea not null
response_body jsonb
created_at timestamp with time zone not null default now()
constraint idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
constraint idempotency_key_pkey PRIMARY KEY (user_id, key)
constraint idempotency_key_request_hash_check CHECK ((length(request_hash) = 32))
constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX idempotency_key_created_idx ON public.idempotency_key USING btree (created_at)

-- message
id bigint not null generated by default as identity
chain_id bigint not null
from_id bigint not null
from_type text not null
to_id bigint
to_type text
to_admin boolean not null
message text not null
admin_viewed timestamp with time zone
created_at timestamp with time zone not null default now()
search tsvector generated always as (to_tsvector('simple'::regconfig, message)) stored
constraint message_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint message_check CHECK (((to_id IS NULL) = (to_type IS NULL)))
constraint message_check1 CHECK ((to_admin OR (admin_viewed IS NULL)))
constraint message_from_id_fkey FOREIGN KEY (from_id) REFERENCES user_account(id)
constraint message_message_check CHECK (((length(message) >= 1) AND (length(message) <= 10000)))
constraint message_pkey PRIMARY KEY (id)
constraint message_to_id_fkey FOREIGN KEY (to_id) REFERENCES user_account(id)
CREATE INDEX message_admin_unread_idx ON public.message USING btree (chain_id) WHERE (to_admin AND (admin_viewed IS NULL))
CREATE INDEX message_chain_idx ON public.message USING btree (chain_id, id DESC)
CREATE INDEX message_search_idx ON public.message USING gin (search)
CREATE INDEX message_to_idx ON public.message USING btree (to_id) WHERE (to_id IS NOT NULL)

-- message_chain
id bigint not null generated by default as identity
subject text not null default ''::text
case_id bigint
status text not null default 'open'::text
assigned_admin_id bigint
is_group boolean not null default false
created_by bigint not null
created_at timestamp with time zone not null default now()
last_message_id bigint not null
last_message_at timestamp with time zone not null default now()
search tsvector generated always as (to_tsvector('simple'::regconfig, subject)) stored
constraint message_chain_assigned_admin_id_fkey FOREIGN KEY (assigned_admin_id) REFERENCES user_account(id)
constraint message_chain_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint message_chain_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint message_chain_pkey PRIMARY KEY (id)
constraint message_chain_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
constraint message_chain_subject_check CHECK ((length(subject) <= 200))
CREATE INDEX message_chain_assigned_idx ON public.message_chain USING btree (assigned_admin_id, last_message_id DESC)
CREATE INDEX message_chain_case_idx ON public.message_chain USING btree (case_id, last_message_id DESC) WHERE (case_id IS NOT NULL)
CREATE INDEX message_chain_created_by_idx ON public.message_chain USING btree (created_by, last_message_id DESC)
CREATE INDEX message_chain_recent_idx ON public.message_chain USING btree (last_message_id DESC)
CREATE INDEX message_chain_search_idx ON public.message_chain USING gin (search)

-- message_chain_group
chain_id bigint not null
user_id bigint not null
last_message_id bigint not null
joined_at timestamp with time zone not null default now()
left_at timestamp with time zone
constraint message_chain_group_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint message_chain_group_pkey PRIMARY KEY (chain_id, user_id)
constraint message_chain_group_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX message_chain_group_user_idx ON public.message_chain_group USING btree (user_id, last_message_id DESC) WHERE (left_at IS NULL)

-- message_file
id bigint not null generated always as identity
message_id bigint not null
filename text not null
content_type text not null
size bigint not null
storage_key text not null
constraint message_file_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint message_file_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
constraint message_file_pkey PRIMARY KEY (id)
constraint message_file_size_check CHECK ((size >= 0))
constraint message_file_storage_key_key UNIQUE (storage_key)
CREATE INDEX message_file_message_idx ON public.message_file USING btree (message_id)

-- message_recipient
message_id bigint not null
user_id bigint not null
chain_id bigint not null
viewed timestamp with time zone
constraint message_recipient_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint message_recipient_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
constraint message_recipient_pkey PRIMARY KEY (message_id, user_id)
constraint message_recipient_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX message_recipient_unread_idx ON public.message_recipient USING btree (user_id, chain_id, message_id) WHERE (viewed IS NULL)

-- password_reset
id bigint not null generated always as identity
user_id bigint not null
token_hash bytea not null
created_at timestamp with time zone not null
expires_at timestamp with time zone not null
used_at timestamp with time zone
purpose text not null default 'reset'::text
constraint password_reset_pkey PRIMARY KEY (id)
constraint password_reset_purpose_check CHECK ((purpose = ANY (ARRAY['reset'::text, 'invitation'::text])))
constraint password_reset_token_hash_check CHECK ((length(token_hash) = 32))
constraint password_reset_token_hash_key UNIQUE (token_hash)
constraint password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX password_reset_expires_idx ON public.password_reset USING btree (expires_at)
CREATE INDEX password_reset_user_idx ON public.password_reset USING btree (user_id)

-- permission_catalogue
singleton boolean not null default true
version integer not null
constraint permission_catalogue_pkey PRIMARY KEY (singleton)
constraint permission_catalogue_singleton_check CHECK (singleton)

-- push_subscription
id bigint not null generated always as identity
user_type text not null
user_id bigint not null
endpoint text not null
p256dh text not null
auth text not null
vapid_key_id text not null
created_at timestamp with time zone not null default now()
constraint push_subscription_endpoint_check CHECK ((length(endpoint) <= 2048))
constraint push_subscription_pkey PRIMARY KEY (id)
constraint push_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
constraint push_subscription_user_type_user_id_endpoint_key UNIQUE (user_type, user_id, endpoint)
CREATE INDEX push_subscription_endpoint_idx ON public.push_subscription USING btree (endpoint)
CREATE INDEX push_subscription_user_idx ON public.push_subscription USING btree (user_id)

-- sign_in
id bigint not null generated always as identity
user_id bigint not null
layer text not null
ip_address inet
user_agent text not null default ''::text
signed_in_at timestamp with time zone not null
constraint sign_in_layer_check CHECK ((layer = ANY (ARRAY['api'::text, 'admin'::text])))
constraint sign_in_pkey PRIMARY KEY (id)
constraint sign_in_user_agent_check CHECK ((length(user_agent) <= 400))
constraint sign_in_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX sign_in_user_idx ON public.sign_in USING btree (user_id, id DESC)

-- tfa_challenge
id uuid not null
user_id bigint not null
purpose text not null
method text not null
code_hash bytea
new_secret bytea
attempts smallint not null default 0
sent_at timestamp with time zone
created_at timestamp with time zone not null
expires_at timestamp with time zone not null
used_at timestamp with time zone
constraint tfa_challenge_code_hash_check CHECK ((length(code_hash) = 32))
constraint tfa_challenge_method_check CHECK ((method = ANY (ARRAY['app'::text, 'email'::text, 'sms'::text])))
constraint tfa_challenge_pkey PRIMARY KEY (id)
constraint tfa_challenge_purpose_check CHECK ((purpose = ANY (ARRAY['api_login'::text, 'admin_login'::text, 'change'::text])))
constraint tfa_challenge_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX tfa_challenge_expires_idx ON public.tfa_challenge USING btree (expires_at)
CREATE INDEX tfa_challenge_user_idx ON public.tfa_challenge USING btree (user_id, purpose, created_at DESC)

-- throttle
key character varying(255) not null
points integer not null default 0
expire bigint
constraint throttle_pkey PRIMARY KEY (key)
CREATE INDEX throttle_expire_idx ON public.throttle USING btree (expire)

-- user_account
id bigint not null generated always as identity
email_address text not null
user_type text not null
password_hash text
status text not null default 'active'::text
first_name text not null default ''::text
last_name text not null default ''::text
phone text
timezone text not null default 'UTC'::text
agency_id bigint
admin_role_id bigint
two_factor_method text
two_factor_secret bytea
created_at timestamp with time zone not null default now()
updated_at timestamp with time zone not null default now()
totp_last_step bigint
search tsvector generated always as (to_tsvector('simple'::regconfig, ((((((first_name || ' '::text) || last_name) || ' '::text) || email_address) || ' '::text) || translate(email_address, '@.+-_'::text, '     '::text)))) stored
constraint user_account_admin_role_id_fkey FOREIGN KEY (admin_role_id) REFERENCES admin_role(id)
constraint user_account_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint user_account_check CHECK (((user_type = 'admin'::text) OR (admin_role_id IS NULL)))
constraint user_account_check1 CHECK (((two_factor_method IS DISTINCT FROM 'app'::text) OR (two_factor_secret IS NOT NULL)))
constraint user_account_check2 CHECK (((two_factor_method IS DISTINCT FROM 'sms'::text) OR (phone IS NOT NULL)))
constraint user_account_email_address_check CHECK (((email_address = lower(email_address)) AND ((length(email_address) >= 3) AND (length(email_address) <= 254))))
constraint user_account_email_address_user_type_key UNIQUE (email_address, user_type)
constraint user_account_first_name_check CHECK ((length(first_name) <= 100))
constraint user_account_last_name_check CHECK ((length(last_name) <= 100))
constraint user_account_phone_check CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text))
constraint user_account_pkey PRIMARY KEY (id)
constraint user_account_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'deactivated'::text])))
constraint user_account_timezone_check CHECK ((length(timezone) <= 64))
constraint user_account_two_factor_method_check CHECK ((two_factor_method = ANY (ARRAY['app'::text, 'email'::text, 'sms'::text])))
constraint user_account_user_type_check CHECK ((user_type = ANY (ARRAY['admin'::text, 'surrogate'::text, 'cm'::text, 'owner'::text, 'ip'::text, 'ip_rep'::text])))
CREATE INDEX user_account_agency_idx ON public.user_account USING btree (agency_id) WHERE (agency_id IS NOT NULL)
CREATE INDEX user_account_role_idx ON public.user_account USING btree (admin_role_id) WHERE (admin_role_id IS NOT NULL)
CREATE INDEX user_account_search_idx ON public.user_account USING gin (search)
CREATE INDEX user_account_status_idx ON public.user_account USING btree (status, id DESC)
CREATE INDEX user_account_type_idx ON public.user_account USING btree (user_type, id DESC)
