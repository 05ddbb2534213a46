-- A statement is a case's cash account, movement by movement, in the order of time. A movement's time is when it is written, while
-- its case is held, and not when its transaction began: nothing is ever written before a balance that was already stated.
alter table ledger_transaction alter column created_at set default clock_timestamp();
create index ledger_transaction_case_time_idx on ledger_transaction (case_id, created_at, id);
-- What the movements of a case did to its cash, without reading what was only set aside.
create index ledger_posting_cash_idx on ledger_posting (case_id, transaction_id) include (amount_cents) where account = 'cash';
