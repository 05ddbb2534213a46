-- Why a picture could not be processed, and how often that was begun without coming to an end: a picture that ends the worker must
-- not be tried again and again.
alter table stored_picture
  add column failure text check (failure in ('damaged', 'too_large', 'too_slow', 'unfinished')),
  add column attempts smallint not null default 0 check (attempts >= 0);
