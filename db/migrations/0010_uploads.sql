-- Direct upload: what may be uploaded, the pictures among what was, and the files of people and cases.

-- An upload that a descriptor was given for and that nobody has confirmed yet. Bound to one person and one purpose.
create table pending_upload (
  -- The last part of the temporary key.
  id uuid primary key,
  user_id bigint not null references user_account (id) on delete cascade,
  purpose text not null check (purpose ~ '^[a-z][a-z_]{0,39}$'),
  -- What the file will belong to: the person, a case, a disbursement request, as the purpose says.
  subject_id bigint not null,
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null check (length(content_type) <= 127),
  -- Exact, where it was announced.
  size bigint check (size > 0),
  created_at timestamptz not null,
  -- While somebody confirms it; given up after a few minutes.
  claimed_at timestamptz
);
create index pending_upload_user_idx on pending_upload (user_id, created_at);
create index pending_upload_created_idx on pending_upload (created_at);

-- Pictures that were uploaded directly. Until the worker has removed what they say about their maker and place, only who
-- uploaded one sees it.
create table stored_picture (
  storage_key text primary key,
  state text not null default 'waiting' check (state in ('waiting', 'clean', 'failed')),
  -- In bytes, once it is clean.
  size bigint check (size > 0),
  created_at timestamptz not null default now()
);

-- Smaller versions of a picture, square.
create table picture_rendition (
  storage_key text primary key,
  picture_key text not null references stored_picture (storage_key) on delete cascade,
  width smallint not null check (width between 16 and 2048),
  unique (picture_key, width)
);

-- A person's own: one profile picture, one photo ID.
create table user_file (
  user_id bigint not null references user_account (id) on delete cascade,
  purpose text not null check (purpose in ('profile_picture', 'photo_id')),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size > 0),
  storage_key text not null unique,
  created_at timestamptz not null default now(),
  primary key (user_id, purpose)
);

create table case_document (
  id bigint generated always as identity primary key,
  case_id bigint not null references case_file (id),
  filename text not null check (length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size > 0),
  storage_key text not null unique,
  uploaded_by bigint not null references user_account (id),
  created_at timestamptz not null default now()
);
create index case_document_case_idx on case_document (case_id, id desc);
create index case_document_uploaded_by_idx on case_document (uploaded_by);
