-- The locale that the browser preferred, such as de-DE: mails to the person write dates and amounts in it.
alter table sign_in add column locale text not null default 'en-US';
