-- The number of the last batch of events that was published. Each batch names the one before, so that a process that receives them
-- through Redis, which may lose some, notices a gap (SCALE-1). Numbers follow those of transactions, so that none is used twice.
-- Compatible: outbox_publisher: batch has a default, and the previous release leaves it as it is.
alter table outbox_publisher add column batch bigint not null default 0;
