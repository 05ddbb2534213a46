/** The totals in the control records of a batch and of the file. */
export interface Totals {
  /** Entries and addenda together. */
  entry_count: number;
  /** The rightmost ten digits of the sum of the first eight digits of every entry's routing number. */
  entry_hash: number;
  debit_cents: number;
  credit_cents: number;
}

const HASH_MODULUS = 10_000_000_000;

export const noTotals = (): Totals => ({ entry_count: 0, entry_hash: 0, debit_cents: 0, credit_cents: 0 });

export function addEntry(
  totals: Totals,
  entry: { routing_number: string; amount_cents: number },
  { is_credit, addenda }: { is_credit: boolean; addenda: number },
): void {
  totals.entry_count += 1 + addenda;
  totals.entry_hash = (totals.entry_hash + Number(entry.routing_number.slice(0, 8))) % HASH_MODULUS;
  if (is_credit) totals.credit_cents += entry.amount_cents;
  else totals.debit_cents += entry.amount_cents;
}

export function addTotals(totals: Totals, other: Totals): void {
  totals.entry_count += other.entry_count;
  totals.entry_hash = (totals.entry_hash + other.entry_hash) % HASH_MODULUS;
  totals.debit_cents += other.debit_cents;
  totals.credit_cents += other.credit_cents;
}
