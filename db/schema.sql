-- Made by `npm run generate` from the migrated database. Read it; change db/migrations instead.

-- address_change
id bigint not null generated always as identity
user_id bigint not null
old_address text not null
new_address text not null
token_hash bytea not null
requested_by bigint not null
requested_at timestamp with time zone not null
expires_at timestamp with time zone not null
confirmed_at timestamp with time zone
ended_at timestamp with time zone
constraint address_change_check CHECK (((confirmed_at IS NULL) OR (ended_at IS NULL)))
constraint address_change_new_address_check CHECK (((new_address = lower(new_address)) AND ((length(new_address) >= 3) AND (length(new_address) <= 254))))
constraint address_change_old_address_check CHECK (((length(old_address) >= 3) AND (length(old_address) <= 254)))
constraint address_change_pkey PRIMARY KEY (id)
constraint address_change_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES user_account(id) ON DELETE CASCADE
constraint address_change_token_hash_check CHECK ((length(token_hash) = 32))
constraint address_change_token_hash_key UNIQUE (token_hash)
constraint address_change_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX address_change_age_idx ON public.address_change USING btree (expires_at)
CREATE INDEX address_change_confirmed_idx ON public.address_change USING btree (user_id, confirmed_at) WHERE (confirmed_at IS NOT NULL)
CREATE INDEX address_change_requested_by_idx ON public.address_change USING btree (requested_by)
CREATE UNIQUE INDEX address_change_waiting_idx ON public.address_change USING btree (user_id) WHERE ((confirmed_at IS NULL) AND (ended_at IS NULL))

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
CREATE UNIQUE INDEX admin_role_name_idx ON public.admin_role USING btree (lower(name))

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
confirmed_at timestamp with time zone not null
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
CREATE INDEX agency_name_idx ON public.agency USING btree (lower(name), id)

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
CREATE INDEX agency_event_agency_idx ON public.agency_event USING btree (agency_id, received_at DESC, event_id)
CREATE INDEX agency_event_case_idx ON public.agency_event USING btree (case_id, received_at DESC, event_id) WHERE (case_id IS NOT NULL)
CREATE INDEX agency_event_received_idx ON public.agency_event USING btree (received_at)

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
visit_id uuid
constraint audit_entry_action_check CHECK (((action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$'::text) AND (length(action) <= 64)))
constraint audit_entry_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES user_account(id)
constraint audit_entry_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint audit_entry_layer_check CHECK ((layer = ANY (ARRAY['api'::text, 'admin'::text, 'worker'::text, 'system'::text])))
constraint audit_entry_pkey PRIMARY KEY (id)
constraint audit_entry_request_id_check CHECK ((length(request_id) <= 64))
constraint audit_entry_subject_label_check CHECK ((length(subject_label) <= 300))
CREATE INDEX audit_entry_action_idx ON public.audit_entry USING btree (action, happened_at DESC, id DESC)
CREATE INDEX audit_entry_actor_idx ON public.audit_entry USING btree (actor_id, happened_at DESC, id DESC)
CREATE INDEX audit_entry_case_idx ON public.audit_entry USING btree (case_id, happened_at DESC, id DESC) WHERE (case_id IS NOT NULL)
CREATE INDEX audit_entry_case_timeline_idx ON public.audit_entry USING btree (case_id, happened_at DESC, id DESC) WHERE ((case_id IS NOT NULL) AND (action = ANY (ARRAY['case.create'::text, 'case.change_status'::text, 'disbursement.submit'::text, 'disbursement.approve'::text, 'disbursement.undo_approval'::text, 'disbursement.deny'::text, 'disbursement.cancel'::text, 'disbursement.remove_approval'::text, 'disbursement.batch'::text, 'disbursement.unbatch'::text, 'disbursement.send'::text, 'disbursement.pay'::text, 'disbursement.return'::text, 'disbursement.retry'::text, 'disbursement.end'::text])))
CREATE INDEX audit_entry_kind_idx ON public.audit_entry USING btree (subject_type, happened_at DESC, id DESC)
CREATE INDEX audit_entry_newest_idx ON public.audit_entry USING btree (happened_at DESC, id DESC)
CREATE INDEX audit_entry_renamed_idx ON public.audit_entry USING btree (case_id, happened_at DESC, id DESC) WHERE (action = 'case.rename_person'::text)
CREATE INDEX audit_entry_subject_idx ON public.audit_entry USING btree (subject_type, subject_id, happened_at DESC, id DESC)
CREATE INDEX audit_entry_visit_idx ON public.audit_entry USING btree (visit_id, happened_at DESC, id DESC) WHERE (visit_id IS NOT NULL)
CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change('subject_label', 'before', 'after', 'ip_address', 'visit_id', 'subject_type')
CREATE TRIGGER audit_entry_is_never_emptied BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

-- backup_code
user_id bigint not null
code_hash bytea not null
used_at timestamp with time zone
constraint backup_code_code_hash_check CHECK ((length(code_hash) = 32))
constraint backup_code_pkey PRIMARY KEY (user_id, code_hash)
constraint backup_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

-- bank_profile
singleton boolean not null default true
routing_number text not null
bank_name text not null
immediate_origin text not null
company_name text not null
company_id text not null
entry_description text not null
same_day boolean not null default false
with_notes boolean not null default false
balanced boolean not null default false
offset_routing_number text
offset_account_number bytea
offset_last_four text
offset_account_kind text
next_trace_sequence integer not null default 1
updated_by bigint not null
updated_at timestamp with time zone not null default now()
constraint bank_profile_bank_name_check CHECK (((length(bank_name) >= 1) AND (length(bank_name) <= 23)))
constraint bank_profile_check CHECK (((NOT balanced) OR ((offset_routing_number IS NOT NULL) AND (offset_account_number IS NOT NULL) AND (offset_last_four IS NOT NULL) AND (offset_account_kind IS NOT NULL))))
constraint bank_profile_company_id_check CHECK (((length(company_id) >= 1) AND (length(company_id) <= 10)))
constraint bank_profile_company_name_check CHECK (((length(company_name) >= 1) AND (length(company_name) <= 16)))
constraint bank_profile_entry_description_check CHECK (((length(entry_description) >= 1) AND (length(entry_description) <= 10)))
constraint bank_profile_immediate_origin_check CHECK (((length(immediate_origin) >= 1) AND (length(immediate_origin) <= 10)))
constraint bank_profile_next_trace_sequence_check CHECK (((next_trace_sequence >= 1) AND (next_trace_sequence <= 9999999)))
constraint bank_profile_offset_account_kind_check CHECK ((offset_account_kind = ANY (ARRAY['checking'::text, 'savings'::text])))
constraint bank_profile_offset_routing_number_check CHECK ((offset_routing_number ~ '^[0-9]{9}$'::text))
constraint bank_profile_pkey PRIMARY KEY (singleton)
constraint bank_profile_routing_number_check CHECK ((routing_number ~ '^[0-9]{9}$'::text))
constraint bank_profile_singleton_check CHECK (singleton)
constraint bank_profile_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES user_account(id)

-- bank_return_entry
file_id bigint not null
line integer not null
code text not null
original_trace text not null
amount_cents bigint not null
batch_entry_id bigint
outcome text not null
constraint bank_return_entry_amount_cents_check CHECK ((amount_cents >= 0))
constraint bank_return_entry_batch_entry_id_fkey FOREIGN KEY (batch_entry_id) REFERENCES banking_batch_entry(id)
constraint bank_return_entry_check CHECK (((batch_entry_id IS NULL) = (outcome = 'not_ours'::text)))
constraint bank_return_entry_code_check CHECK ((code ~ '^[RC][0-9]{2}$'::text))
constraint bank_return_entry_file_id_fkey FOREIGN KEY (file_id) REFERENCES bank_return_file(id)
constraint bank_return_entry_original_trace_check CHECK ((original_trace ~ '^[0-9]{15}$'::text))
constraint bank_return_entry_outcome_check CHECK ((outcome = ANY (ARRAY['returned'::text, 'corrected'::text, 'already_returned'::text, 'noted'::text, 'not_ours'::text])))
constraint bank_return_entry_pkey PRIMARY KEY (file_id, line)
CREATE INDEX bank_return_entry_entry_idx ON public.bank_return_entry USING btree (batch_entry_id) WHERE (batch_entry_id IS NOT NULL)
CREATE TRIGGER bank_return_entry_takes_two AFTER INSERT OR UPDATE ON public.bank_return_entry FOR EACH ROW EXECUTE FUNCTION refuse_early_return()

-- bank_return_file
id bigint not null generated always as identity
file_sha256 bytea not null
filename text not null
uploaded_by bigint not null
uploaded_at timestamp with time zone not null default now()
status text not null default 'waiting'::text
content bytea
disbursement_ids bigint[] not null default '{}'::bigint[]
decided_by bigint
decided_at timestamp with time zone
decision_reason text
constraint bank_return_file_check CHECK (((status = 'waiting'::text) = (content IS NOT NULL)))
constraint bank_return_file_check1 CHECK ((((decided_by IS NULL) = (decided_at IS NULL)) AND ((status <> 'waiting'::text) OR (decided_by IS NULL))))
constraint bank_return_file_check2 CHECK (((status = 'refused'::text) = (decision_reason IS NOT NULL)))
constraint bank_return_file_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES user_account(id)
constraint bank_return_file_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 300)))
constraint bank_return_file_file_sha256_check CHECK ((length(file_sha256) = 32))
constraint bank_return_file_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint bank_return_file_pkey PRIMARY KEY (id)
constraint bank_return_file_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'applied'::text, 'refused'::text])))
constraint bank_return_file_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES user_account(id)
CREATE UNIQUE INDEX bank_return_file_live_idx ON public.bank_return_file USING btree (file_sha256) WHERE (status <> 'refused'::text)
CREATE INDEX bank_return_file_waiting_idx ON public.bank_return_file USING btree (id) WHERE (status = 'waiting'::text)
CREATE TRIGGER bank_return_file_is_kept BEFORE DELETE OR UPDATE ON public.bank_return_file FOR EACH ROW EXECUTE FUNCTION keep_bank_return_file()
CREATE TRIGGER bank_return_file_takes_its_own_checker AFTER UPDATE OF decided_by ON public.bank_return_file FOR EACH ROW WHEN (((new.status = 'applied'::text) AND (new.decided_by IS DISTINCT FROM old.decided_by) AND is_others_checker(new.decided_by, ARRAY[new.uploaded_by]))) EXECUTE FUNCTION refuse_others_second()
CREATE TRIGGER bank_return_file_takes_two AFTER INSERT OR UPDATE ON public.bank_return_file FOR EACH ROW WHEN ((new.status = 'applied'::text)) EXECUTE FUNCTION refuse_own_return_file()

-- banking_batch
id bigint not null generated always as identity
status text not null default 'draft'::text
created_by bigint not null
created_at timestamp with time zone not null default now()
approved_by bigint
handed_out_by bigint
same_day boolean not null default false
entry_count integer not null
total_cents bigint not null
effective_date date
file bytea
file_sha256 bytea
file_day date
file_id_modifier text
constraint banking_batch_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES user_account(id)
constraint banking_batch_check CHECK (((status = ANY (ARRAY['draft'::text, 'cancelled'::text])) OR (approved_by IS NOT NULL)))
constraint banking_batch_check1 CHECK (((status <> ALL (ARRAY['outcome_unknown'::text, 'transmitted'::text, 'settled'::text])) OR (handed_out_by IS NOT NULL)))
constraint banking_batch_check2 CHECK (((status <> ALL (ARRAY['generated'::text, 'outcome_unknown'::text, 'transmitted'::text, 'settled'::text])) OR (file IS NOT NULL)))
constraint banking_batch_check3 CHECK ((((file IS NULL) = (file_sha256 IS NULL)) AND ((file IS NULL) = (effective_date IS NULL)) AND ((file IS NULL) = (file_day IS NULL)) AND ((file IS NULL) = (file_id_modifier IS NULL))))
constraint banking_batch_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint banking_batch_entry_count_check CHECK ((entry_count >= 0))
constraint banking_batch_file_id_modifier_check CHECK ((file_id_modifier ~ '^[A-Z0-9]$'::text))
constraint banking_batch_file_sha256_check CHECK ((length(file_sha256) = 32))
constraint banking_batch_handed_out_by_fkey FOREIGN KEY (handed_out_by) REFERENCES user_account(id)
constraint banking_batch_pkey PRIMARY KEY (id)
constraint banking_batch_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text, 'generated'::text, 'outcome_unknown'::text, 'transmitted'::text, 'settled'::text, 'cancelled'::text])))
constraint banking_batch_total_cents_check CHECK (((total_cents >= 0) AND (total_cents <= '999999999999'::bigint)))
constraint maker_never_approves CHECK ((approved_by <> created_by))
constraint maker_never_pays CHECK ((handed_out_by <> created_by))
CREATE UNIQUE INDEX banking_batch_file_idx ON public.banking_batch USING btree (file_day, file_id_modifier)
CREATE INDEX banking_batch_status_idx ON public.banking_batch USING btree (status, id DESC)
CREATE TRIGGER banking_batch_takes_its_own_checker AFTER UPDATE OF approved_by ON public.banking_batch FOR EACH ROW WHEN (((new.approved_by IS DISTINCT FROM old.approved_by) AND is_others_checker(new.approved_by, (new.created_by || batch_insiders(new.id))))) EXECUTE FUNCTION refuse_others_second()
CREATE TRIGGER banking_batch_takes_its_own_payer AFTER UPDATE OF handed_out_by ON public.banking_batch FOR EACH ROW WHEN (((new.handed_out_by IS DISTINCT FROM old.handed_out_by) AND is_others_checker(new.handed_out_by, (new.created_by || batch_insiders(new.id))))) EXECUTE FUNCTION refuse_others_second()
CREATE TRIGGER banking_batch_takes_two AFTER INSERT OR UPDATE OF approved_by, handed_out_by, created_by ON public.banking_batch FOR EACH ROW WHEN (((new.approved_by IS NOT NULL) OR (new.handed_out_by IS NOT NULL))) EXECUTE FUNCTION refuse_own_batch()

-- banking_batch_entry
id bigint not null generated always as identity
batch_id bigint not null
disbursement_id bigint not null
bank_account_id bigint not null
amount_cents bigint not null
trace_number text
released_at timestamp with time zone
returned_at timestamp with time zone
return_code text
constraint banking_batch_entry_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= '9999999999'::bigint)))
constraint banking_batch_entry_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES payee_bank_account(id)
constraint banking_batch_entry_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES banking_batch(id)
constraint banking_batch_entry_check CHECK (((returned_at IS NULL) = (return_code IS NULL)))
constraint banking_batch_entry_check1 CHECK (((returned_at IS NULL) OR (released_at IS NULL)))
constraint banking_batch_entry_disbursement_id_fkey FOREIGN KEY (disbursement_id) REFERENCES disbursement_request(id)
constraint banking_batch_entry_pkey PRIMARY KEY (id)
constraint banking_batch_entry_return_code_check CHECK ((return_code ~ '^R[0-9]{2}$'::text))
constraint banking_batch_entry_trace_number_check CHECK ((trace_number ~ '^[0-9]{15}$'::text))
CREATE INDEX banking_batch_entry_account_idx ON public.banking_batch_entry USING btree (bank_account_id) WHERE (released_at IS NULL)
CREATE INDEX banking_batch_entry_batch_idx ON public.banking_batch_entry USING btree (batch_id, id)
CREATE UNIQUE INDEX banking_batch_entry_live_idx ON public.banking_batch_entry USING btree (disbursement_id) WHERE ((released_at IS NULL) AND (returned_at IS NULL))
CREATE INDEX banking_batch_entry_request_idx ON public.banking_batch_entry USING btree (disbursement_id, id DESC)
CREATE INDEX banking_batch_entry_trace_idx ON public.banking_batch_entry USING btree (trace_number, id DESC) WHERE (trace_number IS NOT NULL)

-- banking_batch_step
id bigint not null generated always as identity
batch_id bigint not null
status text not null
user_id bigint not null
note text not null default ''::text
created_at timestamp with time zone not null default now()
constraint banking_batch_step_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES banking_batch(id)
constraint banking_batch_step_note_check CHECK ((length(note) <= 300))
constraint banking_batch_step_pkey PRIMARY KEY (id)
constraint banking_batch_step_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX banking_batch_step_batch_idx ON public.banking_batch_step USING btree (batch_id, id)
CREATE TRIGGER banking_batch_step_is_append_only BEFORE DELETE OR UPDATE ON public.banking_batch_step FOR EACH ROW EXECUTE FUNCTION refuse_change('note')

-- batch_signature
batch_id bigint not null
user_id bigint not null
file_sha256 bytea not null
signed_at timestamp with time zone not null default now()
constraint batch_signature_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES banking_batch(id)
constraint batch_signature_file_sha256_check CHECK ((length(file_sha256) = 32))
constraint batch_signature_pkey PRIMARY KEY (batch_id, user_id, file_sha256)
constraint batch_signature_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE TRIGGER batch_signature_is_append_only BEFORE DELETE OR UPDATE ON public.batch_signature FOR EACH ROW EXECUTE FUNCTION refuse_change()
CREATE TRIGGER batch_signature_takes_its_own_signer AFTER INSERT ON public.batch_signature FOR EACH ROW EXECUTE FUNCTION refuse_others_signature()
CREATE TRIGGER batch_signature_takes_two AFTER INSERT ON public.batch_signature FOR EACH ROW EXECUTE FUNCTION refuse_own_signature()

-- call_count
subject text not null
minute integer not null
calls integer not null
constraint call_count_pkey PRIMARY KEY (subject)
constraint call_count_subject_check CHECK ((length(subject) <= 64))

-- case_admin
case_id bigint not null
user_id bigint not null
added_at timestamp with time zone not null default now()
constraint case_admin_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id) ON DELETE CASCADE
constraint case_admin_pkey PRIMARY KEY (case_id, user_id)
constraint case_admin_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE INDEX case_admin_user_idx ON public.case_admin USING btree (user_id, case_id)

-- case_benefit
case_id bigint not null
category text not null
period text not null
cap_cents bigint not null
note text not null default ''::text
compensation boolean not null default false
constraint case_benefit_cap_cents_check CHECK (((cap_cents >= 1) AND (cap_cents <= '9999999999'::bigint)))
constraint case_benefit_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint case_benefit_category_check CHECK (((length(category) >= 1) AND (length(category) <= 100)))
constraint case_benefit_note_check CHECK ((length(note) <= 2000))
constraint case_benefit_period_check CHECK ((period = ANY (ARRAY['case'::text, 'month'::text])))
CREATE UNIQUE INDEX case_benefit_category_idx ON public.case_benefit USING btree (case_id, lower(category))

-- case_document
id bigint not null generated always as identity
case_id bigint not null
filename text not null
content_type text not null
size bigint not null
storage_key text not null
uploaded_by bigint not null
created_at timestamp with time zone not null default now()
constraint case_document_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint case_document_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint case_document_pkey PRIMARY KEY (id)
constraint case_document_size_check CHECK ((size > 0))
constraint case_document_storage_key_key UNIQUE (storage_key)
constraint case_document_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES user_account(id)
CREATE INDEX case_document_case_idx ON public.case_document USING btree (case_id, id DESC)
CREATE INDEX case_document_uploaded_by_idx ON public.case_document USING btree (uploaded_by)

-- case_file
id bigint not null generated always as identity
name text not null
status text not null default 'intake'::text
agency_id bigint
escrow_specialist_id bigint
created_at timestamp with time zone not null default now()
updated_at timestamp with time zone not null default now()
approver_id bigint
close_due_on date
close_reminded_for date
search tsvector
search_version smallint not null default 0
constraint case_file_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint case_file_approver_id_fkey FOREIGN KEY (approver_id) REFERENCES user_account(id)
constraint case_file_escrow_specialist_id_fkey FOREIGN KEY (escrow_specialist_id) REFERENCES user_account(id)
constraint case_file_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
constraint case_file_pkey PRIMARY KEY (id)
constraint case_file_status_check CHECK ((status = ANY (ARRAY['intake'::text, 'pending_funding'::text, 'active'::text, 'on_hold'::text, 'closing'::text, 'closed'::text, 'cancelled'::text])))
CREATE INDEX case_file_agency_idx ON public.case_file USING btree (agency_id)
CREATE INDEX case_file_approver_idx ON public.case_file USING btree (approver_id) WHERE (approver_id IS NOT NULL)
CREATE INDEX case_file_close_due_idx ON public.case_file USING btree (close_due_on) WHERE ((close_due_on IS NOT NULL) AND (status <> ALL (ARRAY['closed'::text, 'cancelled'::text])))
CREATE INDEX case_file_created_idx ON public.case_file USING btree (created_at, id)
CREATE INDEX case_file_name_idx ON public.case_file USING btree (name, id)
CREATE INDEX case_file_old_words_idx ON public.case_file USING btree (id) WHERE (search_version < 2)
CREATE INDEX case_file_search_idx ON public.case_file USING gin (search) WITH (fastupdate=off)
CREATE INDEX case_file_specialist_updated_idx ON public.case_file USING btree (escrow_specialist_id, updated_at DESC, id DESC) WHERE (escrow_specialist_id IS NOT NULL)
CREATE INDEX case_file_status_created_idx ON public.case_file USING btree (status, created_at, id)
CREATE INDEX case_file_status_name_idx ON public.case_file USING btree (status, name, id)
CREATE INDEX case_file_status_updated_idx ON public.case_file USING btree (status, updated_at, id)
CREATE INDEX case_file_updated_idx ON public.case_file USING btree (updated_at DESC, id DESC)
CREATE TRIGGER case_file_marks_its_calendar AFTER UPDATE OF status ON public.case_file FOR EACH ROW WHEN (((old.status = ANY (ARRAY['closed'::text, 'cancelled'::text])) <> (new.status = ANY (ARRAY['closed'::text, 'cancelled'::text])))) EXECUTE FUNCTION mark_calendar()
CREATE TRIGGER case_file_plain_words BEFORE INSERT OR UPDATE OF name ON public.case_file FOR EACH ROW EXECUTE FUNCTION index_plain_words('name')

-- case_milestone
id bigint not null generated always as identity
case_id bigint not null
kind text not null
happened_on date not null
note text not null default ''::text
funding_required_cents bigint
created_by bigint not null
created_at timestamp with time zone not null default now()
constraint case_milestone_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint case_milestone_check CHECK (((kind = 'pregnancy_confirmed'::text) OR (funding_required_cents IS NULL)))
constraint case_milestone_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint case_milestone_funding_required_cents_check CHECK (((funding_required_cents >= 1) AND (funding_required_cents <= '9999999999'::bigint)))
constraint case_milestone_kind_check CHECK ((kind = ANY (ARRAY['matched'::text, 'contract_signed'::text, 'medical_clearance'::text, 'embryo_transfer'::text, 'pregnancy_confirmed'::text, 'heartbeat_confirmed'::text, 'birth'::text, 'other'::text])))
constraint case_milestone_note_check CHECK ((length(note) <= 2000))
constraint case_milestone_pkey PRIMARY KEY (id)
CREATE INDEX case_milestone_case_idx ON public.case_milestone USING btree (case_id, happened_on DESC, id DESC)
CREATE UNIQUE INDEX case_milestone_once_idx ON public.case_milestone USING btree (case_id, kind, happened_on) WHERE (kind <> 'other'::text)

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

-- cash_entry
id bigint not null generated always as identity
case_id bigint not null
kind text not null
amount_cents bigint not null
memo text not null default ''::text
recorded_by bigint not null
recorded_at timestamp with time zone not null default now()
status text not null default 'waiting'::text
decided_by bigint
decided_at timestamp with time zone
decision_reason text
constraint cash_entry_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= '9999999999'::bigint)))
constraint cash_entry_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint cash_entry_check CHECK ((((status = 'waiting'::text) = (decided_by IS NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL))))
constraint cash_entry_check1 CHECK (((status = 'refused'::text) = (decision_reason IS NOT NULL)))
constraint cash_entry_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES user_account(id)
constraint cash_entry_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 300)))
constraint cash_entry_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'refund'::text])))
constraint cash_entry_memo_check CHECK ((length(memo) <= 300))
constraint cash_entry_pkey PRIMARY KEY (id)
constraint cash_entry_recorded_by_fkey FOREIGN KEY (recorded_by) REFERENCES user_account(id)
constraint cash_entry_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'confirmed'::text, 'refused'::text])))
CREATE INDEX cash_entry_case_idx ON public.cash_entry USING btree (case_id, id DESC)
CREATE INDEX cash_entry_waiting_idx ON public.cash_entry USING btree (id) WHERE (status = 'waiting'::text)
CREATE TRIGGER cash_entry_is_kept BEFORE DELETE OR UPDATE ON public.cash_entry FOR EACH ROW EXECUTE FUNCTION keep_cash_entry()
CREATE TRIGGER cash_entry_is_never_emptied BEFORE TRUNCATE ON public.cash_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
CREATE TRIGGER cash_entry_takes_its_own_checker AFTER UPDATE OF decided_by ON public.cash_entry FOR EACH ROW WHEN (((new.status = 'confirmed'::text) AND (new.decided_by IS DISTINCT FROM old.decided_by) AND is_others_checker(new.decided_by, ARRAY[new.recorded_by]))) EXECUTE FUNCTION refuse_others_second()
CREATE TRIGGER cash_entry_takes_two AFTER INSERT OR UPDATE ON public.cash_entry FOR EACH ROW WHEN ((new.status = 'confirmed'::text)) EXECUTE FUNCTION refuse_own_cash_entry()

-- chain_note
id bigint not null generated always as identity
chain_id bigint not null
author_id bigint not null
note text not null
created_at timestamp with time zone not null default now()
constraint chain_note_author_id_fkey FOREIGN KEY (author_id) REFERENCES user_account(id)
constraint chain_note_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint chain_note_note_check CHECK (((length(note) >= 1) AND (length(note) <= 10000)))
constraint chain_note_pkey PRIMARY KEY (id)
CREATE INDEX chain_note_author_idx ON public.chain_note USING btree (author_id)
CREATE INDEX chain_note_chain_idx ON public.chain_note USING btree (chain_id, id DESC)

-- database_copy
only_one boolean not null default true
mark uuid not null generated always as (own_mark()) stored
constraint database_copy_only_one_check CHECK (only_one)
constraint database_copy_pkey PRIMARY KEY (only_one)

-- database_run
only_one boolean not null default true
mark uuid not null default gen_random_uuid()
constraint database_run_only_one_check CHECK (only_one)
constraint database_run_pkey PRIMARY KEY (only_one)

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
outcome text
outcome_at timestamp with time zone
retry_job jsonb
due_at timestamp with time zone
request_id text
partition by RANGE (created_at)
constraint delivery_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text])))
constraint delivery_delivery_key_check CHECK ((length(delivery_key) <= 300))
constraint delivery_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'bounced'::text])))
constraint delivery_pkey PRIMARY KEY (id, created_at)
constraint delivery_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'suppressed'::text])))
constraint delivery_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE SET NULL
CREATE INDEX delivery_age_idx ON public.delivery USING btree (created_at, id)
CREATE INDEX delivery_channel_idx ON public.delivery USING btree (channel, id DESC)
CREATE INDEX delivery_event_idx ON public.delivery USING btree (event, id DESC)
CREATE INDEX delivery_key_idx ON public.delivery USING btree (delivery_key)
CREATE INDEX delivery_provider_idx ON public.delivery USING btree (provider_id) WHERE (provider_id IS NOT NULL)
CREATE INDEX delivery_recent_idx ON public.delivery USING btree (id DESC)
CREATE INDEX delivery_recipient_idx ON public.delivery USING btree (lower(recipient), COALESCE(due_at, created_at) DESC) WHERE (channel = 'email'::text)
CREATE INDEX delivery_state_idx ON public.delivery USING btree (state, id DESC)
CREATE INDEX delivery_texts_idx ON public.delivery USING btree (recipient, created_at DESC) WHERE (channel = 'sms'::text)
CREATE INDEX delivery_user_idx ON public.delivery USING btree (user_id, id DESC)
CREATE TRIGGER delivery_has_a_new_key BEFORE INSERT ON public.delivery FOR EACH ROW EXECUTE FUNCTION claim_delivery_key()

-- delivery_key
key text not null
delivery_id bigint not null
created_at timestamp with time zone not null
constraint delivery_key_pkey PRIMARY KEY (key)
CREATE INDEX delivery_key_age_idx ON public.delivery_key USING btree (created_at)

-- disbursement_file
id bigint not null generated always as identity
disbursement_id bigint not null
filename text not null
content_type text not null
size bigint not null
storage_key text not null
uploaded_by bigint not null
created_at timestamp with time zone not null default now()
constraint disbursement_file_disbursement_id_fkey FOREIGN KEY (disbursement_id) REFERENCES disbursement_request(id)
constraint disbursement_file_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint disbursement_file_pkey PRIMARY KEY (id)
constraint disbursement_file_size_check CHECK ((size >= 0))
constraint disbursement_file_storage_key_key UNIQUE (storage_key)
constraint disbursement_file_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES user_account(id)
CREATE INDEX disbursement_file_disbursement_idx ON public.disbursement_file USING btree (disbursement_id, id)

-- disbursement_request
id bigint not null generated always as identity
case_id bigint not null
status text not null default 'draft'::text
amount_cents bigint not null
category text not null
description text not null
payee_id bigint not null
created_by bigint not null
created_at timestamp with time zone not null default now()
updated_at timestamp with time zone not null default now()
status_since timestamp with time zone not null default now()
submitted_by bigint
submitted_at timestamp with time zone
approver_id bigint
decided_at timestamp with time zone
decision_reason text
bank_date date
paid_at timestamp with time zone
returned_at timestamp with time zone
return_code text
chain_id bigint
scheduled_payment_id bigint
revised_by bigint[] not null default '{}'::bigint[]
approved_account_id bigint
end_reason text
draft_again_because text
promised_date date
promised_before date
moved_because text
approval_undo jsonb
search tsvector
search_version smallint not null default 0
constraint disbursement_request_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= '9999999999'::bigint)))
constraint disbursement_request_approved_account_id_fkey FOREIGN KEY (approved_account_id) REFERENCES payee_bank_account(id)
constraint disbursement_request_approver_id_fkey FOREIGN KEY (approver_id) REFERENCES user_account(id)
constraint disbursement_request_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint disbursement_request_category_check CHECK (((length(category) >= 1) AND (length(category) <= 100)))
constraint disbursement_request_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id)
constraint disbursement_request_check CHECK (((status = ANY (ARRAY['draft'::text, 'cancelled'::text])) OR ((submitted_at IS NOT NULL) AND (submitted_by IS NOT NULL))))
constraint disbursement_request_check1 CHECK (((status <> ALL (ARRAY['approved'::text, 'denied'::text, 'batched'::text, 'paid'::text, 'returned'::text, 'ended'::text])) OR ((decided_at IS NOT NULL) AND (approver_id IS NOT NULL))))
constraint disbursement_request_check2 CHECK (((status <> 'denied'::text) OR (decision_reason IS NOT NULL)))
constraint disbursement_request_check4 CHECK (((status <> ALL (ARRAY['returned'::text, 'ended'::text])) OR ((returned_at IS NOT NULL) AND (return_code IS NOT NULL))))
constraint disbursement_request_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint disbursement_request_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 2000)))
constraint disbursement_request_description_check CHECK (((length(description) >= 1) AND (length(description) <= 2000)))
constraint disbursement_request_draft_again_because_check CHECK ((draft_again_because = ANY (ARRAY['bank_account_changed'::text, 'changed'::text])))
constraint disbursement_request_end_reason_check CHECK (((length(end_reason) >= 1) AND (length(end_reason) <= 2000)))
constraint disbursement_request_moved_because_check CHECK (((length(moved_because) >= 1) AND (length(moved_because) <= 40)))
constraint disbursement_request_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES user_account(id)
constraint disbursement_request_pkey PRIMARY KEY (id)
constraint disbursement_request_return_code_check CHECK ((return_code ~ '^R[0-9]{2}$'::text))
constraint disbursement_request_scheduled_payment_id_case_id_fkey FOREIGN KEY (scheduled_payment_id, case_id) REFERENCES scheduled_payment(id, case_id)
constraint disbursement_request_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'submitted'::text, 'approved'::text, 'denied'::text, 'batched'::text, 'paid'::text, 'returned'::text, 'cancelled'::text, 'ended'::text])))
constraint disbursement_request_submitted_by_fkey FOREIGN KEY (submitted_by) REFERENCES user_account(id)
constraint ended_says_why CHECK (((status <> 'ended'::text) OR (end_reason IS NOT NULL)))
constraint maker_is_never_checker CHECK (((approver_id <> created_by) AND (approver_id <> submitted_by)))
constraint paid_says_when CHECK (((status <> 'paid'::text) OR (paid_at IS NOT NULL)))
constraint reviser_is_never_checker CHECK ((approver_id <> ALL (revised_by)))
CREATE INDEX disbursement_request_approver_idx ON public.disbursement_request USING btree (approver_id, id DESC) WHERE (status = 'submitted'::text)
CREATE INDEX disbursement_request_benefit_idx ON public.disbursement_request USING btree (case_id, lower(category), submitted_at) INCLUDE (amount_cents, status) WHERE (status = ANY (ARRAY['submitted'::text, 'approved'::text, 'batched'::text, 'paid'::text]))
CREATE INDEX disbursement_request_case_idx ON public.disbursement_request USING btree (case_id, id DESC)
CREATE INDEX disbursement_request_case_status_idx ON public.disbursement_request USING btree (case_id, status, id DESC)
CREATE INDEX disbursement_request_chain_idx ON public.disbursement_request USING btree (chain_id) WHERE (chain_id IS NOT NULL)
CREATE INDEX disbursement_request_maker_idx ON public.disbursement_request USING btree (created_by, status, id DESC)
CREATE INDEX disbursement_request_old_words_idx ON public.disbursement_request USING btree (id) WHERE (search_version < 2)
CREATE INDEX disbursement_request_payee_idx ON public.disbursement_request USING btree (payee_id, status)
CREATE UNIQUE INDEX disbursement_request_scheduled_payment_idx ON public.disbursement_request USING btree (scheduled_payment_id) WHERE (status <> ALL (ARRAY['draft'::text, 'denied'::text, 'cancelled'::text, 'returned'::text, 'ended'::text]))
CREATE INDEX disbursement_request_search_idx ON public.disbursement_request USING gin (search) WITH (fastupdate=off)
CREATE INDEX disbursement_request_status_idx ON public.disbursement_request USING btree (status, id DESC)
CREATE TRIGGER disbursement_request_change_is_announced AFTER UPDATE ON public.disbursement_request REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_requests()
CREATE TRIGGER disbursement_request_is_announced AFTER INSERT ON public.disbursement_request REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_requests()
CREATE TRIGGER disbursement_request_plain_words BEFORE INSERT OR UPDATE OF description, category, amount_cents ON public.disbursement_request FOR EACH ROW EXECUTE FUNCTION index_plain_words('description', 'category', 'amount_cents')
CREATE TRIGGER disbursement_request_takes_its_own_checker AFTER INSERT OR UPDATE OF approver_id ON public.disbursement_request FOR EACH ROW WHEN ((new.approver_id IS NOT NULL)) EXECUTE FUNCTION refuse_others_checker()
CREATE TRIGGER disbursement_request_takes_two AFTER INSERT OR UPDATE OF approver_id, created_by, submitted_by, payee_id ON public.disbursement_request FOR EACH ROW WHEN ((new.approver_id IS NOT NULL)) EXECUTE FUNCTION refuse_own_request()

-- ended_web_session
id_hash bytea not null
user_id bigint not null
ended_at timestamp with time zone not null default now()
constraint ended_web_session_id_hash_check CHECK ((length(id_hash) = 32))
constraint ended_web_session_pkey PRIMARY KEY (id_hash)
constraint ended_web_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX ended_web_session_by_time ON public.ended_web_session USING btree (ended_at)

-- function announce_case
CREATE OR REPLACE FUNCTION public.announce_case(case_id bigint, user_id bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into outbox (event) values (jsonb_build_object('kind', 'case', 'case_id', case_id, 'user_id', user_id))
$function$


-- function announce_cash
CREATE OR REPLACE FUNCTION public.announce_cash()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce_case(told.case_id, null)
     from (select distinct n.case_id from changed n where n.kind in ('deposit', 'refund')) told;
  return null;
end
$function$


-- function announce_requests
CREATE OR REPLACE FUNCTION public.announce_requests()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id, case when n.submitted_at is null then n.created_by end as user_id from changed n) told;
  else
    perform announce_case(told.case_id, told.user_id)
       from (select distinct n.case_id,
                    case when n.submitted_at is null and o.submitted_at is null then n.created_by end as user_id
               from changed n join before o on o.id = n.id) told;
  end if;
  return null;
end
$function$


-- function batch_insiders
CREATE OR REPLACE FUNCTION public.batch_insiders(batch bigint)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE
RETURN (SELECT array_agg(DISTINCT insider.insider) AS array_agg FROM ((banking_batch_entry e JOIN payee_bank_account a ON ((a.id = e.bank_account_id))) CROSS JOIN LATERAL unnest((ARRAY[a.user_id, a.created_by] || a.entered_by)) insider(insider)) WHERE ((e.batch_id = batch_insiders.batch) AND (e.released_at IS NULL)))


-- function check_cash_entry
CREATE OR REPLACE FUNCTION public.check_cash_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from cash_entry e
     where e.id = new.cash_entry_id and e.case_id = new.case_id and e.kind = new.kind and e.status = 'confirmed'
       and not exists (select from ledger_posting p where p.transaction_id = new.id and abs(p.amount_cents) <> e.amount_cents)
  ) then
    raise exception 'two people have not agreed on this % of case %', new.kind, new.case_id
      using errcode = 'check_violation', constraint = 'cash_takes_two';
  end if;
  return null;
end
$function$


-- function check_ledger
CREATE OR REPLACE FUNCTION public.check_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  entry bigint := coalesce(to_jsonb(new) ->> 'transaction_id', to_jsonb(new) ->> 'id');
begin
  if (select coalesce(sum(amount_cents), 1) from ledger_posting where transaction_id = entry) <> 0 then
    raise exception 'the postings of transaction % do not sum to zero', entry using errcode = 'check_violation';
  end if;
  return null;
end
$function$


-- function check_ledger_balance
CREATE OR REPLACE FUNCTION public.check_ledger_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from ledger_balance
     where case_id = new.case_id and account = new.account
       and case account when 'cash' then amount_cents < 0 else amount_cents > 0 end
  ) then
    raise exception 'an account of case % would be overdrawn', new.case_id using errcode = 'check_violation';
  end if;
  return null;
end
$function$


-- function claim_delivery_key
CREATE OR REPLACE FUNCTION public.claim_delivery_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$begin insert into delivery_key (key, delivery_id, created_at) values (new.delivery_key, new.id, new.created_at) on conflict do nothing
     ; if found or exists (select from delivery_key where key = new.delivery_key and delivery_id = new.id) then return new; end if; return null; end$function$


-- function create_months
CREATE OR REPLACE FUNCTION public.create_months(at timestamp with time zone)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '700ms'
AS $function$
declare
  item record;
  month timestamptz;
  next_month timestamptz;
  name text;
begin
  for item in select * from (values ('delivery', 'created_at'), ('sign_in', 'signed_in_at')) t (of_table, age) loop
    for month, next_month in execute format(
      'select m.month at time zone ''UTC'', (m.month + interval ''1 month'') at time zone ''UTC''
         from (select date_trunc(''month'', $1 at time zone ''UTC'') + n * interval ''1 month'' from generate_series(0, 3) n
               union select date_trunc(''month'', %I at time zone ''UTC'') from months.%I) m (month)
        where not exists (select from months_of($2) p
                           where p.starts <= m.month at time zone ''UTC'' and m.month at time zone ''UTC'' < p.ends)
        order by 1', item.age, item.of_table || '_default') using at, item.of_table::regclass
    loop
      name := format('%s_%s', item.of_table, to_char(month at time zone 'UTC', 'YYYY_MM'));
      execute format('lock table months.%I in access exclusive mode', item.of_table || '_default');
      execute format('create table months.%I (like public.%I including all excluding identity excluding comments)', name, item.of_table);
      execute format('with moved as (delete from months.%1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into months.%5$I select * from moved',
                     item.of_table || '_default', item.age, month, next_month, name);
      execute format('alter table public.%I attach partition months.%I for values from (%L) to (%L)', item.of_table, name, month, next_month);
      return next name;
    end loop;
  end loop;
end $function$


-- function current_place
CREATE OR REPLACE FUNCTION public.current_place()
 RETURNS text
 LANGUAGE sql
AS $function$ select public.database_mark() || '-' || pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) $function$


-- function database_mark
CREATE OR REPLACE FUNCTION public.database_mark()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  history text := '';
  run uuid;
begin
  if not pg_catalog.pg_is_in_recovery() then
    begin
      history := pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8);
    exception when others then
      history := '';
    end;
    run := (select r.mark from public.database_run r);
    if run is null then
      insert into public.database_run default values on conflict do nothing;
      run := (select r.mark from public.database_run r);
    end if;
  end if;
  return (select pg_catalog.left(pg_catalog.md5(pg_catalog.concat(c.mark, history, run)), 8) from public.database_copy c);
end
$function$


-- function disbursement_insiders
CREATE OR REPLACE FUNCTION public.disbursement_insiders(d disbursement_request)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return array[d.created_by, d.submitted_by, d.payee_id] || d.revised_by
         || (select array[a.created_by] || a.entered_by from payee_bank_account a
              where a.user_id = d.payee_id and a.replaced_at is null);
end
$function$


-- function drop_months
CREATE OR REPLACE FUNCTION public.drop_months(of_table text, before timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '700ms'
AS $function$
declare
  item record;
  is_needed boolean;
  dropped int := 0;
begin
  if of_table not in ('delivery', 'sign_in') then
    raise exception 'months of % are never dropped', of_table using errcode = 'insufficient_privilege';
  end if;
  for item in select partition from months_of(of_table::regclass) where ends <= before loop
    execute format('lock table %s in access exclusive mode', item.partition);
    is_needed := false;
    if of_table = 'delivery' then
      execute format('select exists (select from %s where state = ''queued'')', item.partition) into is_needed;
    end if;
    if not is_needed then
      execute format('drop table %s', item.partition);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end $function$


-- function index_plain_words
CREATE OR REPLACE FUNCTION public.index_plain_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  texts jsonb;
  earlier jsonb;
  names text;
  others text;
begin
  if tg_op = 'INSERT' then
    if new.search is not null then return new; end if;
  else
    if new.search is distinct from old.search then return new; end if;
    earlier := to_jsonb(old);
  end if;
  texts := to_jsonb(new);
  if not exists (select from unnest(tg_argv) name where texts ->> name is distinct from earlier ->> name) then return new; end if;
  names := concat_ws(' ', texts ->> 'first_name', texts ->> 'last_name');
  others := concat_ws(' ', texts ->> 'message', texts ->> 'subject', texts ->> 'name', texts ->> 'email_address');
  new.search := setweight(to_tsvector('simple', regexp_replace(names, '[[:punct:]]+', ' ', 'g')), 'A')
    || to_tsvector('simple', regexp_replace(others, '[[:punct:]]+', ' ', 'g'));
  new.search_version := 0;
  return new;
end
$function$


-- function is_others_checker
CREATE OR REPLACE FUNCTION public.is_others_checker(record bigint, makers bigint[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM address_change c WHERE ((c.user_id = is_others_checker.record) AND (c.requested_by <> is_others_checker.record) AND ((c.confirmed_at > (now() - '7 days'::interval)) OR ((c.confirmed_at IS NOT NULL) AND (c.requested_at > (now() - '30 days'::interval)) AND is_person_among(c.requested_by, is_others_checker.makers))))))


-- function is_person_among
CREATE OR REPLACE FUNCTION public.is_person_among(record bigint, others bigint[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN COALESCE((person_records(record) && others), false)


-- function keep_bank_return_file
CREATE OR REPLACE FUNCTION public.keep_bank_return_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.file_sha256, new.filename, new.uploaded_by, new.uploaded_at)
        is distinct from (old.id, old.file_sha256, old.filename, old.uploaded_by, old.uploaded_at)
     or new.content is distinct from old.content and new.content is not null then
    raise exception 'a return file is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$


-- function keep_cash_entry
CREATE OR REPLACE FUNCTION public.keep_cash_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and current_setting('platform.erasing', true) = 'yes'
     and to_jsonb(new) - '{memo,decision_reason}'::text[] = to_jsonb(old) - '{memo,decision_reason}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'waiting'
     or (new.id, new.case_id, new.kind, new.amount_cents, new.memo, new.recorded_by, new.recorded_at)
        is distinct from (old.id, old.case_id, old.kind, old.amount_cents, old.memo, old.recorded_by, old.recorded_at) then
    raise exception 'a cash entry is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$


-- function keep_confirmed_phone
CREATE OR REPLACE FUNCTION public.keep_confirmed_phone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.two_factor_method = 'sms' then
    new.confirmed_phone := new.phone;
  end if;
  if new.confirmed_phone is not null and new.confirmed_phone <> all (new.proved_phones) then
    new.proved_phones := new.proved_phones || new.confirmed_phone;
  end if;
  return new;
end
$function$


-- function keep_entered_by
CREATE OR REPLACE FUNCTION public.keep_entered_by()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- An owner's own entry counts, even if someone else entered the number before.
  if new.created_by <> new.user_id then
    select coalesce(array_agg(distinct who order by who), '{}') into new.entered_by
      from (select a.created_by, a.entered_by, a.flag_code, a.routing_number, a.last_four from payee_bank_account a
             where a.user_id = new.user_id order by a.id desc limit 1) a,
           unnest(array[a.created_by] || a.entered_by) who
     where who not in (new.user_id, new.created_by)
       and (a.flag_code like 'C%' or (a.routing_number, a.last_four) = (new.routing_number, new.last_four));
  end if;
  return new;
end
$function$


-- function keep_ledger_balance
CREATE OR REPLACE FUNCTION public.keep_ledger_balance()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into ledger_balance as kept (case_id, account, amount_cents, paid_in_cents)
    select p.case_id, p.account, sum(p.amount_cents),
           coalesce(sum(p.amount_cents) filter (where p.account = 'cash' and t.kind in ('deposit', 'refund')), 0)
      from posted p join ledger_transaction t on t.id = p.transaction_id
     group by p.case_id, p.account order by p.case_id, p.account
    on conflict (case_id, account) do update
      set amount_cents = kept.amount_cents + excluded.amount_cents,
          paid_in_cents = kept.paid_in_cents + excluded.paid_in_cents;
  return null;
end
$function$


-- function keep_one_person
CREATE OR REPLACE FUNCTION public.keep_one_person()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  persons bigint[];
begin
  -- One transaction at a time: two that come to share an address at the same moment would not see each other.
  perform pg_advisory_xact_lock(7214010032);
  -- Someone who has never signed in has done nothing yet, and their address may have been a mistake.
  if tg_op = 'UPDATE' and old.status = 'invited' then
    update user_account set person_id = default where id = new.id;
  end if;
  select array_agg(distinct one.person_id order by one.person_id) into persons
    from (select u.person_id from user_account u where u.email_address = new.email_address
          union all
          select u.person_id from user_account u
           where u.proved_phones <> '{}' and u.proved_phones && new.proved_phones) one;
  if cardinality(persons) > 1 then
    update user_account set person_id = persons[1] where person_id = any (persons[2:]);
  end if;
  return null;
end
$function$


-- function keep_role_grant
CREATE OR REPLACE FUNCTION public.keep_role_grant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'waiting'
     or (new.id, new.admin_role_id, new.user_id, new.permissions, new.asked_by, new.asked_at)
        is distinct from (old.id, old.admin_role_id, old.user_id, old.permissions, old.asked_by, old.asked_at) then
    raise exception 'a grant is decided once and never changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$


-- function keep_two_factor_since
CREATE OR REPLACE FUNCTION public.keep_two_factor_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.two_factor_method is null then
    new.two_factor_since := null;
  elsif new.two_factor_method is distinct from old.two_factor_method
    and new.two_factor_since is not distinct from old.two_factor_since then
    new.two_factor_since := now();
  end if;
  return new;
end
$function$


-- function mark_calendar
CREATE OR REPLACE FUNCTION public.mark_calendar()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare ended boolean := new.status in ('closed', 'cancelled');
begin
  update scheduled_payment set case_ended = ended where case_id = new.id and case_ended <> ended;
  return null;
end
$function$


-- function months_ahead
CREATE OR REPLACE FUNCTION public.months_ahead(OUT of_table text, OUT ends timestamp with time zone, OUT rows_without integer)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select 'delivery', (select max(m.ends) from months_of('delivery') m),
         (select count(*)::int from (select from months.delivery_default limit 1000) d)
  union all
  select 'sign_in', (select max(m.ends) from months_of('sign_in') m),
         (select count(*)::int from (select from months.sign_in_default limit 1000) s)
$function$


-- function months_of
CREATE OR REPLACE FUNCTION public.months_of(of_table regclass, OUT partition regclass, OUT starts timestamp with time zone, OUT ends timestamp with time zone)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE
AS $function$
  select c.oid::regclass, coalesce(substring(b.bound from $re$FROM \('([^']+)'\)$re$)::timestamptz, '-infinity'),
         substring(b.bound from $re$TO \('([^']+)'\)$re$)::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
   where i.inhparent = of_table order by 3 nulls last
$function$


-- function note_last_sign_in
CREATE OR REPLACE FUNCTION public.note_last_sign_in()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$begin insert into last_sign_in as last (user_id, sign_in_id, signed_in_at, locale) values (new.user_id, new.id, new.signed_in_at, new.locale)
     on conflict (user_id) do update set sign_in_id = excluded.sign_in_id, signed_in_at = excluded.signed_in_at, locale = excluded.locale
      where excluded.sign_in_id > last.sign_in_id; return null; end$function$


-- function own_mark
CREATE OR REPLACE FUNCTION public.own_mark()
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$select pg_catalog.gen_random_uuid()$function$


-- function own_transaction
CREATE OR REPLACE FUNCTION public.own_transaction()
 RETURNS xid8
 LANGUAGE sql
 IMMUTABLE
AS $function$select pg_catalog.pg_current_xact_id()$function$


-- function person_records
CREATE OR REPLACE FUNCTION public.person_records(record bigint)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE
RETURN (SELECT array_agg(o.id ORDER BY o.id) AS array_agg FROM (user_account u JOIN user_account o ON ((o.person_id = u.person_id))) WHERE (u.id = person_records.record))


-- function queue_jobs
CREATE OR REPLACE FUNCTION public.queue_jobs(task text, jobs json, due timestamp with time zone, tries integer, queue text, keeps_run_at boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into graphile_worker._private_tasks (identifier)
  select task where not exists (select from graphile_worker._private_tasks t where t.identifier = task)
  on conflict do nothing;
  if queue is not null then
    insert into graphile_worker._private_job_queues (queue_name)
    select queue where not exists (select from graphile_worker._private_job_queues q where q.queue_name = queue)
    on conflict do nothing;
  end if;
  -- A job that runs or has failed for good is not replaced: the new one is added beside it.
  update graphile_worker._private_jobs j set key = null, attempts = j.max_attempts, updated_at = now()
    from json_array_elements(jobs) job
   where j.key = job->>'key' and j.is_available is not true;
  insert into graphile_worker._private_jobs as j (job_queue_id, task_id, payload, run_at, max_attempts, key)
  select (select q.id from graphile_worker._private_job_queues q where q.queue_name = queue), t.id, job->'payload',
         coalesce(due, now()), tries, job->>'key'
    from graphile_worker._private_tasks t cross join json_array_elements(jobs) job
   where t.identifier = task
  on conflict (key) do update
     set job_queue_id = excluded.job_queue_id, task_id = excluded.task_id, payload = excluded.payload,
         run_at = case when keeps_run_at and j.attempts = 0 then j.run_at else excluded.run_at end,
         max_attempts = excluded.max_attempts, priority = excluded.priority, flags = excluded.flags,
         revision = j.revision + 1, attempts = 0, last_error = null, updated_at = now()
   where j.locked_at is null;
  if due is null or due <= now() then
    insert into outbox (task) values (task);
  end if;
end $function$


-- function refuse_change
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and tg_nargs > 0 and current_setting('platform.erasing', true) = 'yes' then
    if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$


-- function refuse_early_return
CREATE OR REPLACE FUNCTION public.refuse_early_return()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from bank_return_file f where f.id = new.file_id and f.status = 'applied') then
    raise exception 'return file % is not confirmed', new.file_id
      using errcode = 'check_violation', constraint = 'return_takes_two';
  end if;
  return null;
end
$function$


-- function refuse_others_checker
CREATE OR REPLACE FUNCTION public.refuse_others_checker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_others_checker(new.approver_id, disbursement_insiders(new)) then
    raise exception 'the address of the person who decides about request % was changed by someone else', new.id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$function$


-- function refuse_others_second
CREATE OR REPLACE FUNCTION public.refuse_others_second()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the address of the person who decides about % % was changed by someone else', tg_table_name, new.id
    using errcode = 'check_violation', constraint = 'checker_is_their_own';
end
$function$


-- function refuse_others_signature
CREATE OR REPLACE FUNCTION public.refuse_others_signature()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_others_checker(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s
                 where s.batch_id = new.batch_id and s.file_sha256 = new.file_sha256 and s.user_id <> new.user_id)) then
    raise exception 'the address of the person who signs batch % was changed by someone else', new.batch_id
      using errcode = 'check_violation', constraint = 'checker_is_their_own';
  end if;
  return null;
end
$function$


-- function refuse_own_balance
CREATE OR REPLACE FUNCTION public.refuse_own_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'only postings may write a balance' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$


-- function refuse_own_batch
CREATE OR REPLACE FUNCTION public.refuse_own_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  insiders bigint[] := new.created_by || batch_insiders(new.id);
begin
  if is_person_among(new.approved_by, insiders) or is_person_among(new.handed_out_by, insiders) then
    raise exception 'one person would have two parts in batch %', new.id
      using errcode = 'check_violation', constraint = 'maker_never_approves';
  end if;
  return null;
end
$function$


-- function refuse_own_cash_entry
CREATE OR REPLACE FUNCTION public.refuse_own_cash_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_person_among(new.decided_by, array[new.recorded_by]) then
    raise exception 'one person would record and confirm entry % of case %', new.id, new.case_id
      using errcode = 'check_violation', constraint = 'recorder_never_confirms';
  end if;
  return null;
end
$function$


-- function refuse_own_request
CREATE OR REPLACE FUNCTION public.refuse_own_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_person_among(new.approver_id, disbursement_insiders(new)) then
    raise exception 'one person would ask and decide about request %', new.id
      using errcode = 'check_violation', constraint = 'maker_is_never_checker';
  end if;
  return null;
end
$function$


-- function refuse_own_return_file
CREATE OR REPLACE FUNCTION public.refuse_own_return_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.decided_by is null or is_person_among(new.decided_by, array[new.uploaded_by]) then
    raise exception 'one person would read in and confirm return file %', new.id
      using errcode = 'check_violation', constraint = 'reader_never_confirms';
  end if;
  return null;
end
$function$


-- function refuse_own_role_grant
CREATE OR REPLACE FUNCTION public.refuse_own_role_grant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_person_among(new.decided_by, array[new.asked_by, new.user_id]) then
    raise exception 'one person would grant and confirm role %', new.admin_role_id
      using errcode = 'check_violation', constraint = 'granter_never_confirms';
  end if;
  return null;
end
$function$


-- function refuse_own_signature
CREATE OR REPLACE FUNCTION public.refuse_own_signature()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_person_among(new.user_id, batch_insiders(new.batch_id)
       || array(select s.user_id from batch_signature s
                 where s.batch_id = new.batch_id and s.file_sha256 = new.file_sha256 and s.user_id <> new.user_id)) then
    raise exception 'two signatures of batch % would be one person''s', new.batch_id
      using errcode = 'check_violation', constraint = 'signers_are_two';
  end if;
  return null;
end
$function$


-- function search_words
CREATE OR REPLACE FUNCTION public.search_words(words text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((websearch_to_tsquery('simple'::regconfig, words))::text ~~ '%'''::text) THEN (((websearch_to_tsquery('simple'::regconfig, words))::text || ':*'::text))::tsquery ELSE websearch_to_tsquery('simple'::regconfig, words) END


-- function take_outbox
CREATE OR REPLACE FUNCTION public.take_outbox(as_publisher uuid, floor bigint)
 RETURNS TABLE(id bigint, event jsonb, task text, since text, oldest xid8, newest xid8)
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from outbox_publisher p
              where p.publisher <> as_publisher and p.published_at > clock_timestamp() - interval '300 milliseconds')
     or not pg_try_advisory_xact_lock(7214010005) then
    return;
  end if;
  return query
    with place as materialized (select pg_current_snapshot() as snapshot),
    gone as (delete from outbox o where o.id > take_outbox.floor returning o.id, o.written_in, o.event, o.task)
    select g.id, g.event, g.task,
           (select database_mark()) || '-' || least(
             pg_snapshot_xmin(p.snapshot),
             min(g.written_in) over (order by g.id rows between 1 following and unbounded following)),
           pg_snapshot_xmin(p.snapshot), pg_current_xact_id()
      from gone g cross join place p order by g.id;
  if found then
    insert into outbox_publisher values (true, as_publisher, clock_timestamp())
    on conflict (only_one) do update set publisher = excluded.publisher, published_at = excluded.published_at;
  end if;
end $function$


-- function unable_admins
CREATE OR REPLACE FUNCTION public.unable_admins()
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE ROWS 1
AS $function$
  select u.id from user_account u where u.user_type = 'admin' and (u.status <> 'active' or u.admin_role_id is null)
  union all
  -- Without "offset 0", the planner would read the admins of all roles.
  select u.id from admin_role r
   cross join lateral (select id from user_account where admin_role_id = r.id and status = 'active' offset 0) u
   where not exists (select from admin_role_permission p where p.admin_role_id = r.id and p.permission = 'view_messages')
$function$


-- funds_short_notice
case_id bigint not null
month date not null
short_in date not null
missing_cents bigint not null
created_at timestamp with time zone not null default now()
constraint funds_short_notice_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint funds_short_notice_missing_cents_check CHECK ((missing_cents > 0))
constraint funds_short_notice_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
constraint funds_short_notice_pkey PRIMARY KEY (case_id, month)

-- idempotency_key
user_id bigint
key text not null
request_hash bytea not null
response_body jsonb
created_at timestamp with time zone not null default now()
constraint idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
constraint idempotency_key_of_user UNIQUE NULLS NOT DISTINCT (key, user_id)
constraint idempotency_key_request_hash_check CHECK ((length(request_hash) = 32))
constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX idempotency_key_created_idx ON public.idempotency_key USING btree (created_at)

-- last_sign_in
user_id bigint not null
sign_in_id bigint not null
signed_in_at timestamp with time zone not null
locale text not null
constraint last_sign_in_pkey PRIMARY KEY (user_id)
constraint last_sign_in_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

-- ledger_balance
case_id bigint not null
account text not null
amount_cents bigint not null
paid_in_cents bigint not null default 0
constraint ledger_balance_account_check CHECK ((account = ANY (ARRAY['cash'::text, 'funds'::text, 'held'::text])))
constraint ledger_balance_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint ledger_balance_check CHECK (((account = 'cash'::text) OR (paid_in_cents = 0)))
constraint ledger_balance_is_covered TRIGGER DEFERRABLE INITIALLY DEFERRED
constraint ledger_balance_pkey PRIMARY KEY (case_id, account)
CREATE CONSTRAINT TRIGGER ledger_balance_is_covered AFTER INSERT OR UPDATE ON public.ledger_balance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (
        CASE new.account
            WHEN 'cash'::text THEN (new.amount_cents < 0)
            ELSE (new.amount_cents > 0)
        END) EXECUTE FUNCTION check_ledger_balance()
CREATE TRIGGER ledger_balance_is_derived BEFORE INSERT OR DELETE OR UPDATE ON public.ledger_balance FOR EACH ROW EXECUTE FUNCTION refuse_own_balance()
CREATE TRIGGER ledger_balance_is_never_emptied BEFORE TRUNCATE ON public.ledger_balance FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

-- ledger_posting
transaction_id bigint not null
case_id bigint not null
account text not null
amount_cents bigint not null
constraint ledger_posting_account_check CHECK ((account = ANY (ARRAY['cash'::text, 'funds'::text, 'held'::text])))
constraint ledger_posting_amount_cents_check CHECK ((amount_cents <> 0))
constraint ledger_posting_is_balanced TRIGGER DEFERRABLE INITIALLY DEFERRED
constraint ledger_posting_pkey PRIMARY KEY (transaction_id, account)
constraint ledger_posting_transaction_id_case_id_fkey FOREIGN KEY (transaction_id, case_id) REFERENCES ledger_transaction(id, case_id)
CREATE INDEX ledger_posting_balance_idx ON public.ledger_posting USING btree (case_id, account) INCLUDE (amount_cents)
CREATE INDEX ledger_posting_cash_idx ON public.ledger_posting USING btree (case_id, transaction_id) INCLUDE (amount_cents) WHERE (account = 'cash'::text)
CREATE TRIGGER ledger_posting_is_append_only BEFORE DELETE OR UPDATE ON public.ledger_posting FOR EACH ROW EXECUTE FUNCTION refuse_change()
CREATE CONSTRAINT TRIGGER ledger_posting_is_balanced AFTER INSERT ON public.ledger_posting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_ledger()
CREATE TRIGGER ledger_posting_is_counted AFTER INSERT ON public.ledger_posting REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION keep_ledger_balance()
CREATE TRIGGER ledger_posting_is_never_emptied BEFORE TRUNCATE ON public.ledger_posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()

-- ledger_transaction
id bigint not null generated always as identity
case_id bigint not null
kind text not null
disbursement_id bigint
memo text not null default ''::text
created_by bigint
created_at timestamp with time zone not null default clock_timestamp()
cash_entry_id bigint
constraint cash_entry_moves_cash CHECK (((cash_entry_id IS NULL) OR (kind = ANY (ARRAY['deposit'::text, 'refund'::text]))))
constraint ledger_transaction_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint ledger_transaction_cash_entry_id_fkey FOREIGN KEY (cash_entry_id) REFERENCES cash_entry(id)
constraint ledger_transaction_cash_entry_id_key UNIQUE (cash_entry_id)
constraint ledger_transaction_check CHECK (((kind = ANY (ARRAY['deposit'::text, 'refund'::text])) = (disbursement_id IS NULL)))
constraint ledger_transaction_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint ledger_transaction_disbursement_id_fkey FOREIGN KEY (disbursement_id) REFERENCES disbursement_request(id)
constraint ledger_transaction_id_case_id_key UNIQUE (id, case_id)
constraint ledger_transaction_is_balanced TRIGGER DEFERRABLE INITIALLY DEFERRED
constraint ledger_transaction_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'refund'::text, 'hold'::text, 'release'::text, 'payment'::text, 'return'::text])))
constraint ledger_transaction_memo_check CHECK ((length(memo) <= 300))
constraint ledger_transaction_pkey PRIMARY KEY (id)
constraint ledger_transaction_takes_two TRIGGER DEFERRABLE INITIALLY DEFERRED
CREATE INDEX ledger_transaction_case_idx ON public.ledger_transaction USING btree (case_id, id DESC)
CREATE INDEX ledger_transaction_case_time_idx ON public.ledger_transaction USING btree (case_id, created_at, id)
CREATE INDEX ledger_transaction_cash_idx ON public.ledger_transaction USING btree (case_id, created_at DESC, id DESC) WHERE (kind = ANY (ARRAY['deposit'::text, 'refund'::text]))
CREATE INDEX ledger_transaction_disbursement_idx ON public.ledger_transaction USING btree (disbursement_id) WHERE (disbursement_id IS NOT NULL)
CREATE TRIGGER ledger_transaction_is_announced AFTER INSERT ON public.ledger_transaction REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_cash()
CREATE TRIGGER ledger_transaction_is_append_only BEFORE DELETE OR UPDATE ON public.ledger_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change('memo')
CREATE CONSTRAINT TRIGGER ledger_transaction_is_balanced AFTER INSERT ON public.ledger_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_ledger()
CREATE TRIGGER ledger_transaction_is_never_emptied BEFORE TRUNCATE ON public.ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
CREATE CONSTRAINT TRIGGER ledger_transaction_takes_two AFTER INSERT ON public.ledger_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['deposit'::text, 'refund'::text]))) EXECUTE FUNCTION check_cash_entry()

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
search tsvector
retracted_at timestamp with time zone
written_in xid8 not null generated always as (own_transaction()) stored
client_key text
search_version smallint not null default 0
constraint message_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint message_check CHECK (((to_id IS NULL) = (to_type IS NULL)))
constraint message_check1 CHECK ((to_admin OR (admin_viewed IS NULL)))
constraint message_client_key_check CHECK (((length(client_key) >= 1) AND (length(client_key) <= 255)))
constraint message_from_id_fkey FOREIGN KEY (from_id) REFERENCES user_account(id)
constraint message_message_check CHECK (((length(message) <= 10000) AND ((length(message) >= 1) OR (retracted_at IS NOT NULL))))
constraint message_pkey PRIMARY KEY (id)
constraint message_to_id_fkey FOREIGN KEY (to_id) REFERENCES user_account(id)
CREATE INDEX message_admin_unread_idx ON public.message USING btree (chain_id) WHERE (to_admin AND (admin_viewed IS NULL))
CREATE INDEX message_chain_idx ON public.message USING btree (chain_id, id DESC)
CREATE UNIQUE INDEX message_client_key_idx ON public.message USING btree (from_id, client_key) WHERE (client_key IS NOT NULL)
CREATE INDEX message_from_idx ON public.message USING btree (from_id, id DESC)
CREATE INDEX message_old_words_idx ON public.message USING btree (id) WHERE (search_version < 2)
CREATE INDEX message_search_idx ON public.message USING gin (search) WITH (fastupdate=off)
CREATE INDEX message_story_idx ON public.message USING btree (chain_id, created_at DESC, id DESC) WHERE (retracted_at IS NULL)
CREATE INDEX message_to_idx ON public.message USING btree (to_id) WHERE (to_id IS NOT NULL)
CREATE INDEX message_written_in_idx ON public.message USING btree (written_in)
CREATE TRIGGER message_plain_words BEFORE INSERT OR UPDATE OF message ON public.message FOR EACH ROW EXECUTE FUNCTION index_plain_words('message')

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
search tsvector
search_version smallint not null default 0
constraint message_chain_assigned_admin_id_fkey FOREIGN KEY (assigned_admin_id) REFERENCES user_account(id)
constraint message_chain_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint message_chain_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint message_chain_pkey PRIMARY KEY (id)
constraint message_chain_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
constraint message_chain_subject_check CHECK ((length(subject) <= 200))
CREATE INDEX message_chain_assigned_idx ON public.message_chain USING btree (assigned_admin_id, last_message_id DESC)
CREATE INDEX message_chain_case_idx ON public.message_chain USING btree (case_id, last_message_id DESC) WHERE (case_id IS NOT NULL)
CREATE INDEX message_chain_created_by_idx ON public.message_chain USING btree (created_by, last_message_id DESC)
CREATE INDEX message_chain_old_words_idx ON public.message_chain USING btree (id) WHERE (search_version < 2)
CREATE INDEX message_chain_recent_idx ON public.message_chain USING btree (last_message_id DESC)
CREATE INDEX message_chain_search_idx ON public.message_chain USING gin (search) WITH (fastupdate=off)
CREATE INDEX message_chain_started_idx ON public.message_chain USING btree (assigned_admin_id) WHERE ((assigned_admin_id = created_by) AND (case_id IS NOT NULL))
CREATE TRIGGER message_chain_plain_words BEFORE INSERT OR UPDATE OF subject ON public.message_chain FOR EACH ROW EXECUTE FUNCTION index_plain_words('subject')

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

-- message_mail
chain_id bigint not null
user_id bigint not null
mailed_at timestamp with time zone not null
up_to_message_id bigint not null
constraint message_mail_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id) ON DELETE CASCADE
constraint message_mail_pkey PRIMARY KEY (chain_id, user_id)
constraint message_mail_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX message_mail_user_idx ON public.message_mail USING btree (user_id)

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

-- notification_preference
user_id bigint not null
event text not null
channel text not null
enabled boolean not null
updated_at timestamp with time zone not null default now()
constraint notification_preference_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text])))
constraint notification_preference_event_check CHECK ((length(event) <= 100))
constraint notification_preference_pkey PRIMARY KEY (user_id, event, channel)
constraint notification_preference_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

-- outbox
written_in xid8 not null default pg_current_xact_id()
id bigint not null generated always as identity
event jsonb
task text
constraint outbox_event_check CHECK ((octet_length((event)::text) <= 7000))
constraint outbox_pkey PRIMARY KEY (id)

-- outbox_publisher
only_one boolean not null default true
publisher uuid not null
published_at timestamp with time zone not null
batch bigint not null default 0
constraint outbox_publisher_only_one_check CHECK (only_one)
constraint outbox_publisher_pkey PRIMARY KEY (only_one)

-- password_reset
id bigint not null generated always as identity
user_id bigint not null
token_hash bytea not null
created_at timestamp with time zone not null
expires_at timestamp with time zone not null
used_at timestamp with time zone
purpose text not null default 'reset'::text
used_from inet
constraint password_reset_pkey PRIMARY KEY (id)
constraint password_reset_purpose_check CHECK ((purpose = ANY (ARRAY['reset'::text, 'invitation'::text])))
constraint password_reset_token_hash_check CHECK ((length(token_hash) = 32))
constraint password_reset_token_hash_key UNIQUE (token_hash)
constraint password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX password_reset_expires_idx ON public.password_reset USING btree (expires_at)
CREATE INDEX password_reset_user_idx ON public.password_reset USING btree (user_id)

-- payee_bank_account
id bigint not null generated always as identity
user_id bigint not null
holder_name text not null
holder_kind text not null
routing_number text not null
account_number bytea not null
last_four text not null
account_kind text not null
created_by bigint not null
created_at timestamp with time zone not null default now()
usable_from timestamp with time zone not null
replaced_at timestamp with time zone
flag_code text
flagged_at timestamp with time zone
correction bytea
entered_by bigint[] not null default '{}'::bigint[]
resubmits boolean not null default false
constraint payee_bank_account_account_kind_check CHECK ((account_kind = ANY (ARRAY['checking'::text, 'savings'::text])))
constraint payee_bank_account_check CHECK ((usable_from >= created_at))
constraint payee_bank_account_check1 CHECK (((flag_code IS NULL) = (flagged_at IS NULL)))
constraint payee_bank_account_check2 CHECK (((correction IS NULL) OR (flag_code ~~ 'C%'::text)))
constraint payee_bank_account_created_by_fkey FOREIGN KEY (created_by) REFERENCES user_account(id)
constraint payee_bank_account_flag_code_check CHECK ((flag_code ~ '^[RC][0-9]{2}$'::text))
constraint payee_bank_account_holder_kind_check CHECK ((holder_kind = ANY (ARRAY['person'::text, 'company'::text])))
constraint payee_bank_account_holder_name_check CHECK (((length(holder_name) >= 1) AND (length(holder_name) <= 100)))
constraint payee_bank_account_last_four_check CHECK ((last_four ~ '^[0-9A-Za-z-]{4}$'::text))
constraint payee_bank_account_pkey PRIMARY KEY (id)
constraint payee_bank_account_routing_number_check CHECK ((routing_number ~ '^[0-9]{9}$'::text))
constraint payee_bank_account_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE UNIQUE INDEX payee_bank_account_current_idx ON public.payee_bank_account USING btree (user_id) WHERE (replaced_at IS NULL)
CREATE INDEX payee_bank_account_user_idx ON public.payee_bank_account USING btree (user_id, id DESC)
CREATE TRIGGER payee_bank_account_keeps_entered_by BEFORE INSERT ON public.payee_bank_account FOR EACH ROW EXECUTE FUNCTION keep_entered_by()

-- payment_stop
id bigint not null generated always as identity
payee_id bigint not null
case_id bigint not null
disbursement_id bigint not null
raised_by bigint not null
raised_at timestamp with time zone not null
reason text not null
chain_id bigint
cleared_by bigint
cleared_at timestamp with time zone
clear_reason text
constraint cleared_says_why CHECK ((((cleared_at IS NULL) = (cleared_by IS NULL)) AND ((cleared_at IS NULL) = (clear_reason IS NULL))))
constraint payee_does_not_clear CHECK ((cleared_by <> payee_id))
constraint payment_stop_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint payment_stop_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES message_chain(id)
constraint payment_stop_clear_reason_check CHECK (((length(clear_reason) >= 1) AND (length(clear_reason) <= 2000)))
constraint payment_stop_cleared_by_fkey FOREIGN KEY (cleared_by) REFERENCES user_account(id)
constraint payment_stop_disbursement_id_fkey FOREIGN KEY (disbursement_id) REFERENCES disbursement_request(id)
constraint payment_stop_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES user_account(id)
constraint payment_stop_pkey PRIMARY KEY (id)
constraint payment_stop_raised_by_fkey FOREIGN KEY (raised_by) REFERENCES user_account(id)
constraint payment_stop_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 10000)))
CREATE UNIQUE INDEX payment_stop_live_idx ON public.payment_stop USING btree (payee_id, case_id) WHERE (cleared_at IS NULL)

-- pending_upload
id uuid not null
user_id bigint not null
purpose text not null
subject_id bigint not null
filename text not null
content_type text not null
size bigint
created_at timestamp with time zone not null
claimed_at timestamp with time zone
constraint pending_upload_content_type_check CHECK ((length(content_type) <= 127))
constraint pending_upload_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint pending_upload_pkey PRIMARY KEY (id)
constraint pending_upload_purpose_check CHECK ((purpose ~ '^[a-z][a-z_]{0,39}$'::text))
constraint pending_upload_size_check CHECK ((size > 0))
constraint pending_upload_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX pending_upload_created_idx ON public.pending_upload USING btree (created_at)
CREATE INDEX pending_upload_user_idx ON public.pending_upload USING btree (user_id, created_at)

-- permission_catalogue
singleton boolean not null default true
version integer not null
constraint permission_catalogue_pkey PRIMARY KEY (singleton)
constraint permission_catalogue_singleton_check CHECK (singleton)

-- picture_rendition
storage_key text not null
picture_key text not null
width smallint not null
constraint picture_rendition_picture_key_fkey FOREIGN KEY (picture_key) REFERENCES stored_picture(storage_key) ON DELETE CASCADE
constraint picture_rendition_picture_key_width_key UNIQUE (picture_key, width)
constraint picture_rendition_pkey PRIMARY KEY (storage_key)
constraint picture_rendition_width_check CHECK (((width >= 16) AND (width <= 2048)))

-- proof_of_funds
id bigint not null generated always as identity
case_id bigint not null
amount_cents bigint not null
made_at timestamp with time zone not null
addressee text not null
issued_by bigint not null
withdrawn_at timestamp with time zone
withdrawn_by bigint
constraint proof_of_funds_addressee_check CHECK (((length(addressee) >= 1) AND (length(addressee) <= 200)))
constraint proof_of_funds_amount_cents_check CHECK ((amount_cents > 0))
constraint proof_of_funds_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint proof_of_funds_check CHECK (((withdrawn_at IS NULL) = (withdrawn_by IS NULL)))
constraint proof_of_funds_issued_by_fkey FOREIGN KEY (issued_by) REFERENCES user_account(id)
constraint proof_of_funds_pkey PRIMARY KEY (id)
constraint proof_of_funds_withdrawn_by_fkey FOREIGN KEY (withdrawn_by) REFERENCES user_account(id)
CREATE INDEX proof_of_funds_case_idx ON public.proof_of_funds USING btree (case_id, id DESC)
CREATE INDEX proof_of_funds_issued_by_idx ON public.proof_of_funds USING btree (issued_by)
CREATE INDEX proof_of_funds_withdrawn_by_idx ON public.proof_of_funds USING btree (withdrawn_by)

-- provider_report
source text not null
report_id text not null
received_at timestamp with time zone not null default now()
constraint provider_report_pkey PRIMARY KEY (source, report_id)
constraint provider_report_report_id_check CHECK (((length(report_id) >= 1) AND (length(report_id) <= 300)))
constraint provider_report_source_check CHECK ((source = ANY (ARRAY['sendgrid'::text, 'twilio'::text])))
CREATE INDEX provider_report_received_idx ON public.provider_report USING btree (received_at)

-- push_subscription
id bigint not null generated always as identity
user_type text not null
user_id bigint not null
endpoint text not null
p256dh text not null
auth text not null
vapid_key_id text not null
created_at timestamp with time zone not null default now()
user_agent text not null default ''::text
renew_since timestamp with time zone
constraint push_subscription_endpoint_check CHECK ((length(endpoint) <= 2048))
constraint push_subscription_pkey PRIMARY KEY (id)
constraint push_subscription_user_agent_check CHECK ((length(user_agent) <= 500))
constraint push_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
constraint push_subscription_user_type_user_id_endpoint_key UNIQUE (user_type, user_id, endpoint)
CREATE INDEX push_subscription_endpoint_idx ON public.push_subscription USING btree (endpoint)
CREATE INDEX push_subscription_user_idx ON public.push_subscription USING btree (user_id)

-- role_grant
id bigint not null generated always as identity
admin_role_id bigint not null
user_id bigint
permissions text[]
asked_by bigint not null
asked_at timestamp with time zone not null default now()
status text not null default 'waiting'::text
decided_by bigint
decided_at timestamp with time zone
constraint role_grant_admin_role_id_fkey FOREIGN KEY (admin_role_id) REFERENCES admin_role(id) ON DELETE CASCADE
constraint role_grant_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES user_account(id)
constraint role_grant_check CHECK (((user_id IS NULL) = (permissions IS NOT NULL)))
constraint role_grant_check1 CHECK ((((status = 'waiting'::text) = (decided_by IS NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL))))
constraint role_grant_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES user_account(id)
constraint role_grant_permissions_check CHECK ((cardinality(permissions) > 0))
constraint role_grant_pkey PRIMARY KEY (id)
constraint role_grant_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'confirmed'::text, 'refused'::text])))
constraint role_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id)
CREATE UNIQUE INDEX role_grant_of_a_person_idx ON public.role_grant USING btree (user_id) WHERE (status = 'waiting'::text)
CREATE UNIQUE INDEX role_grant_of_a_role_idx ON public.role_grant USING btree (admin_role_id) WHERE ((status = 'waiting'::text) AND (user_id IS NULL))
CREATE INDEX role_grant_role_idx ON public.role_grant USING btree (admin_role_id)
CREATE TRIGGER role_grant_is_kept BEFORE UPDATE ON public.role_grant FOR EACH ROW EXECUTE FUNCTION keep_role_grant()
CREATE TRIGGER role_grant_takes_its_own_checker AFTER UPDATE OF decided_by ON public.role_grant FOR EACH ROW WHEN (((new.status = 'confirmed'::text) AND (new.decided_by IS DISTINCT FROM old.decided_by) AND is_others_checker(new.decided_by, ARRAY[new.asked_by, new.user_id]))) EXECUTE FUNCTION refuse_others_second()
CREATE TRIGGER role_grant_takes_two AFTER INSERT OR UPDATE ON public.role_grant FOR EACH ROW WHEN ((new.status = 'confirmed'::text)) EXECUTE FUNCTION refuse_own_role_grant()

-- scheduled_payment
id bigint not null generated always as identity
case_id bigint not null
category text not null
description text not null default ''::text
payee_id bigint
due_date date not null
amount_cents bigint not null
status text not null default 'planned'::text
paid_at timestamp with time zone
created_at timestamp with time zone not null default now()
case_ended boolean not null default false
constraint scheduled_payment_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= '9999999999'::bigint)))
constraint scheduled_payment_case_id_fkey FOREIGN KEY (case_id) REFERENCES case_file(id)
constraint scheduled_payment_category_check CHECK (((length(category) >= 1) AND (length(category) <= 100)))
constraint scheduled_payment_check CHECK (((status = 'paid'::text) = (paid_at IS NOT NULL)))
constraint scheduled_payment_description_check CHECK ((length(description) <= 2000))
constraint scheduled_payment_id_case_id_key UNIQUE (id, case_id)
constraint scheduled_payment_payee_id_fkey FOREIGN KEY (payee_id) REFERENCES user_account(id)
constraint scheduled_payment_pkey PRIMARY KEY (id)
constraint scheduled_payment_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'paid'::text, 'cancelled'::text])))
CREATE INDEX scheduled_payment_case_idx ON public.scheduled_payment USING btree (case_id, due_date, id)
CREATE INDEX scheduled_payment_category_idx ON public.scheduled_payment USING btree (case_id, category, status)
CREATE INDEX scheduled_payment_due_idx ON public.scheduled_payment USING btree (status, due_date, id)
CREATE INDEX scheduled_payment_waiting_idx ON public.scheduled_payment USING btree (due_date, id) WHERE ((status = 'planned'::text) AND (NOT case_ended))

-- sign_in
id bigint not null generated always as identity
user_id bigint not null
layer text not null
ip_address inet
user_agent text not null default ''::text
signed_in_at timestamp with time zone not null
locale text not null default 'en-US'::text
partition by RANGE (signed_in_at)
constraint sign_in_layer_check CHECK ((layer = ANY (ARRAY['api'::text, 'admin'::text])))
constraint sign_in_pkey PRIMARY KEY (id, signed_in_at)
constraint sign_in_user_agent_check CHECK ((length(user_agent) <= 400))
constraint sign_in_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE
CREATE INDEX sign_in_age_idx ON public.sign_in USING btree (signed_in_at, id)
CREATE INDEX sign_in_user_idx ON public.sign_in USING btree (user_id, id DESC)
CREATE TRIGGER sign_in_is_the_last AFTER INSERT ON public.sign_in FOR EACH ROW EXECUTE FUNCTION note_last_sign_in()

-- stored_picture
storage_key text not null
state text not null default 'waiting'::text
size bigint
created_at timestamp with time zone not null default now()
failure text
attempts smallint not null default 0
constraint stored_picture_attempts_check CHECK ((attempts >= 0))
constraint stored_picture_failure_check CHECK ((failure = ANY (ARRAY['damaged'::text, 'too_large'::text, 'too_slow'::text, 'unfinished'::text])))
constraint stored_picture_pkey PRIMARY KEY (storage_key)
constraint stored_picture_size_check CHECK ((size > 0))
constraint stored_picture_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'clean'::text, 'failed'::text])))

-- suppression
id bigint not null generated always as identity
channel text not null
address text not null
reason text not null
source text not null
detail text not null default ''::text
created_at timestamp with time zone not null default now()
constraint suppression_address_check CHECK ((length(address) <= 320))
constraint suppression_channel_address_key UNIQUE (channel, address)
constraint suppression_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text])))
constraint suppression_detail_check CHECK ((length(detail) <= 500))
constraint suppression_pkey PRIMARY KEY (id)
constraint suppression_reason_check CHECK ((reason = ANY (ARRAY['bounced'::text, 'invalid'::text, 'unsubscribed'::text, 'complained'::text])))
constraint suppression_source_check CHECK ((source = ANY (ARRAY['sendgrid'::text, 'twilio'::text])))

-- suppression_lift
channel text not null
address text not null
lifted_at timestamp with time zone not null default now()
constraint suppression_lift_address_check CHECK ((length(address) <= 320))
constraint suppression_lift_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text])))
constraint suppression_lift_pkey PRIMARY KEY (channel, address)
CREATE INDEX suppression_lift_age_idx ON public.suppression_lift USING btree (lifted_at)

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
sent_to text
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

-- unsubscribe_key
user_id bigint not null
key bytea not null
constraint unsubscribe_key_key_check CHECK ((octet_length(key) = 32))
constraint unsubscribe_key_pkey PRIMARY KEY (user_id)
constraint unsubscribe_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

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
search tsvector
confirmed_phone text
password_stands_alone boolean
erased_at timestamp with time zone
proved_phones text[] not null default '{}'::text[]
person_id bigint not null generated by default as identity
two_factor_since timestamp with time zone
search_version smallint not null default 0
constraint user_account_admin_role_id_fkey FOREIGN KEY (admin_role_id) REFERENCES admin_role(id)
constraint user_account_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agency(id)
constraint user_account_check CHECK (((user_type = 'admin'::text) OR (admin_role_id IS NULL)))
constraint user_account_check1 CHECK (((two_factor_method IS DISTINCT FROM 'app'::text) OR (two_factor_secret IS NOT NULL)))
constraint user_account_check2 CHECK (((two_factor_method IS DISTINCT FROM 'sms'::text) OR (phone IS NOT NULL)))
constraint user_account_check3 CHECK (((erased_at IS NULL) OR (status = 'deactivated'::text)))
constraint user_account_confirmed_phone_check CHECK ((confirmed_phone ~ '^\+[1-9][0-9]{6,14}$'::text))
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
CREATE INDEX user_account_old_words_idx ON public.user_account USING btree (id) WHERE (search_version < 2)
CREATE INDEX user_account_person_idx ON public.user_account USING btree (person_id)
CREATE INDEX user_account_proved_phones_idx ON public.user_account USING gin (proved_phones) WITH (fastupdate=off) WHERE (proved_phones <> '{}'::text[])
CREATE INDEX user_account_role_idx ON public.user_account USING btree (admin_role_id) WHERE (admin_role_id IS NOT NULL)
CREATE INDEX user_account_search_idx ON public.user_account USING gin (search) WITH (fastupdate=off)
CREATE INDEX user_account_status_idx ON public.user_account USING btree (status, id DESC)
CREATE INDEX user_account_type_idx ON public.user_account USING btree (user_type, id DESC)
CREATE INDEX user_account_unable_admin_idx ON public.user_account USING btree (id) WHERE ((user_type = 'admin'::text) AND ((status <> 'active'::text) OR (admin_role_id IS NULL)))
CREATE TRIGGER user_account_is_a_new_person AFTER INSERT ON public.user_account FOR EACH ROW EXECUTE FUNCTION keep_one_person()
CREATE TRIGGER user_account_keeps_confirmed_phone BEFORE INSERT OR UPDATE ON public.user_account FOR EACH ROW EXECUTE FUNCTION keep_confirmed_phone()
CREATE TRIGGER user_account_keeps_two_factor_since BEFORE UPDATE OF two_factor_method ON public.user_account FOR EACH ROW EXECUTE FUNCTION keep_two_factor_since()
CREATE TRIGGER user_account_plain_words BEFORE INSERT OR UPDATE OF first_name, last_name, email_address ON public.user_account FOR EACH ROW EXECUTE FUNCTION index_plain_words('first_name', 'last_name', 'email_address')
CREATE TRIGGER user_account_stays_one_person AFTER UPDATE ON public.user_account FOR EACH ROW WHEN (((new.email_address <> old.email_address) OR (new.proved_phones <> old.proved_phones))) EXECUTE FUNCTION keep_one_person()

-- user_file
user_id bigint not null
purpose text not null
filename text not null
content_type text not null
size bigint not null
storage_key text not null
created_at timestamp with time zone not null default now()
constraint user_file_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255)))
constraint user_file_pkey PRIMARY KEY (user_id, purpose)
constraint user_file_purpose_check CHECK ((purpose = ANY (ARRAY['profile_picture'::text, 'photo_id'::text])))
constraint user_file_size_check CHECK ((size > 0))
constraint user_file_storage_key_key UNIQUE (storage_key)
constraint user_file_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(id) ON DELETE CASCADE

-- worker_heartbeat
worker_id text not null
seen_at timestamp with time zone not null default now()
constraint worker_heartbeat_pkey PRIMARY KEY (worker_id)
constraint worker_heartbeat_worker_id_check CHECK ((length(worker_id) <= 200))
