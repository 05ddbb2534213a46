/**
 * The moment at which something was read, as a database mark and the transactions that had ended by then. The text form is that
 * of PostgreSQL's `pg_current_snapshot` after the mark: `1f2e3d4c-100:108:101,105`.
 */
export interface Snapshot {
  mark: string;
  /** Every transaction before this one had ended. */
  begin: bigint;
  /** No transaction from this one on had ended. */
  end: bigint;
  /** Transactions in between that had not ended. */
  running: ReadonlySet<bigint>;
}

const SNAPSHOT = /^([0-9a-f]{8})-(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/;

/** @returns null for anything that is not a snapshot. */
export function parseSnapshot(text: string): Snapshot | null {
  const [, mark = '', begin = '', end = '', running = ''] = SNAPSHOT.exec(text) ?? [];
  if (mark === '') return null;
  const numbers = running === '' ? [] : running.split(',').map(BigInt);
  return { mark, begin: BigInt(begin), end: BigInt(end), running: new Set(numbers) };
}

/** True if the snapshot includes what this transaction of the same database wrote. */
export function isInSnapshot(transaction: bigint, { begin, end, running }: Snapshot): boolean {
  return transaction < begin || (transaction < end && !running.has(transaction));
}

/** True if the first of two snapshots of the same database was taken before the second: more transactions end over time. */
export function isEarlier(one: Snapshot, other: Snapshot): boolean {
  if (one.begin !== other.begin) return one.begin < other.begin;
  if (one.end !== other.end) return one.end < other.end;
  return one.running.size > other.running.size;
}
