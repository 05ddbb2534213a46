-- Benefits: what a case's contract allows for a category, over the case or in each month (decisions, section 14). What is used
-- and what is set aside is never kept here: it is summed up from the requests themselves.
create table case_benefit (
  case_id bigint not null references case_file (id),
  category text not null check (length(category) between 1 and 100),
  period text not null check (period in ('case', 'month')),
  cap_cents bigint not null check (cap_cents between 1 and 9999999999),
  note text not null default '' check (length(note) <= 2000)
);
-- Requests name the category in words: "travel" counts against "Travel", and one benefit a category is all there can be.
create unique index case_benefit_category_idx on case_benefit (case_id, lower(category));

create index disbursement_request_benefit_idx on disbursement_request (case_id, lower(category), submitted_at)
  include (amount_cents, status) where status in ('submitted', 'approved', 'batched', 'paid');
