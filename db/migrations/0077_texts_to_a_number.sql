-- no transaction
-- What one number was texted of late, over all accounts: without this every text would look through a day's deliveries.
drop index concurrently if exists delivery_texts_idx;
create index concurrently delivery_texts_idx on delivery (recipient, created_at desc) where channel = 'sms';
