/**
 * As of when something was read: the mark of a database and which of its transactions were over then, as PostgreSQL says it
 * (`pg_current_snapshot`): `1f2e3d4c-100:108:101,105`.
 */
export interface Snapshot {
  mark: string;
  /** Every transaction before this one was over. */
  begin: bigint;
  /** No transaction from this one on was. */
  end: bigint;
  /** Those between that were not. */
  running: ReadonlySet<bigint>;
}

const SNAPSHOT = /^([0-9a-f]{8})-(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/;

/** Null for a text that is none. */
export function parseSnapshot(text: string): Snapshot | null {
  const [, mark = '', begin = '', end = '', running = ''] = SNAPSHOT.exec(text) ?? [];
  if (mark === '') return null;
  const numbers = running === '' ? [] : running.split(',').map(BigInt);
  return { mark, begin: BigInt(begin), end: BigInt(end), running: new Set(numbers) };
}

/** Whether what a transaction of the same database has written was read. */
export function isInSnapshot(transaction: bigint, { begin, end, running }: Snapshot): boolean {
  return transaction < begin || (transaction < end && !running.has(transaction));
}

/** Whether one of two snapshots of the same database was taken before the other: with time, more is over. */
export function isEarlier(one: Snapshot, other: Snapshot): boolean {
  if (one.begin !== other.begin) return one.begin < other.begin;
  if (one.end !== other.end) return one.end < other.end;
  return one.running.size > other.running.size;
}
