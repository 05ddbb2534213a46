import { sameDayWindow, toBankClock, toBankDate } from './bank-clock.ts';
import type { FileText } from './file-text.ts';
import { ENTRY_MAX_CENTS } from './limits.ts';
import type { AccountNumber, OriginatingBank } from './originating-bank.ts';
import { ADDENDA, BATCH_CONTROL, BATCH_HEADER, CREDIT_CODES, DEBIT_CODES, ENTRY } from './records.ts';
import { addEntry, noTotals, type Totals } from './totals.ts';

/** One credit to one account. */
export interface Payment extends AccountNumber {
  /** Our id of the payment, under which its trace number is returned. */
  id: number;
  name: string;
  /** A person's account is paid by a PPD entry, a company's by a CCD entry (NACHA-1). */
  holder_kind: 'person' | 'company';
  amount_cents: number;
  /** True for compensation, which never shares a batch with reimbursements (NACHA-6). */
  is_compensation: boolean;
  /** Up to 15 characters, shown on the receiver's statement. */
  reference: string;
  /** Up to 80 characters for an addenda record. */
  note?: string | undefined;
}

export interface BatchInput {
  bank: OriginatingBank;
  payments: readonly Payment[];
  /** The payments that it has; others are skipped. */
  group: BatchGroup;
  batch_number: number;
  first_sequence: number;
  created_at: Date;
  effective_date: string;
  same_day: boolean;
}

interface Batch {
  totals: Totals;
  next_sequence: number;
}

const CREDITS_ONLY = 220;
const MIXED = 200;

/** One batch has payments of one class, either compensation or reimbursements (NACHA-1, NACHA-6). */
export interface BatchGroup {
  entry_class: 'PPD' | 'CCD';
  is_compensation: boolean;
}

/** The groups in the order of their batches within a file. */
export const BATCH_GROUPS: readonly BatchGroup[] = [
  { entry_class: 'PPD', is_compensation: false },
  { entry_class: 'PPD', is_compensation: true },
  { entry_class: 'CCD', is_compensation: false },
  { entry_class: 'CCD', is_compensation: true },
];

/** The kind of account holder in each class of entries. */
const HOLDERS = { PPD: 'person', CCD: 'company' } as const;

/** The entry description of compensation (Nacha Operating Rules, 'Company Entry Description', since 2026). */
export const PAYROLL = 'PAYROLL';

export function belongsTo({ entry_class, is_compensation }: BatchGroup, payment: Payment): boolean {
  return payment.holder_kind === HOLDERS[entry_class] && payment.is_compensation === is_compensation;
}

/**
 * Writes one batch into `text`: its header, the entries with their addenda, the offsetting debits of a balanced batch, and its
 * control record.
 * @param traces receives the trace number of each payment, by its id.
 */
export function writeBatch(text: FileText, traces: Map<number, string>, input: BatchInput): Batch {
  const { bank, payments, batch_number } = input;
  const odfi = bank.routing_number.slice(0, 8);
  const service_class = bank.offset === null ? CREDITS_ONLY : MIXED;
  const own = { service_class, company_id: bank.company_id, odfi, batch_number };
  addBatchHeader(text, input, own);
  const totals = noTotals();
  let sequence = input.first_sequence;
  for (const payment of payments) {
    if (!belongsTo(input.group, payment)) continue;
    const trace_number = traceNumber(odfi, sequence);
    addEntryLines(text, payment, CREDIT_CODES[payment.account_kind], trace_number);
    addEntry(totals, payment, { is_credit: true, addenda: payment.note === undefined ? 0 : 1 });
    traces.set(payment.id, trace_number);
    sequence += 1;
  }
  for (const offset of offsets(bank, totals.credit_cents)) {
    addEntryLines(text, offset, DEBIT_CODES[offset.account_kind], traceNumber(odfi, sequence));
    addEntry(totals, offset, { is_credit: false, addenda: 0 });
    sequence += 1;
  }
  text.add(BATCH_CONTROL, { ...own, ...totals });
  return { totals, next_sequence: sequence };
}

/** Eight digits of the ODFI, then seven of our own. */
function traceNumber(odfi: string, sequence: number): string {
  return odfi + String(sequence).padStart(7, '0');
}

function addBatchHeader(
  text: FileText,
  { bank, group, created_at, effective_date, same_day }: BatchInput,
  own: { service_class: number; company_id: string; odfi: string; batch_number: number },
): void {
  text.add(BATCH_HEADER, {
    ...own,
    company_name: bank.company_name,
    entry_class: group.entry_class,
    entry_description: group.is_compensation ? PAYROLL : bank.entry_description,
    // `SD` and the hour of settlement request same-day settlement (Nacha Operating Rules, 'Company Descriptive Date').
    descriptive_date: same_day ? `SD${sameDayWindow(created_at)}` : toBankClock(created_at).date,
    effective_date: toBankDate(effective_date),
  });
}

type Entry = Omit<Payment, 'id' | 'holder_kind' | 'is_compensation'>;

function addEntryLines(text: FileText, entry: Entry, transaction_code: number, trace_number: string): void {
  const { routing_number, account_number, amount_cents, reference, name, note } = entry;
  const addenda_indicator = note === undefined ? 0 : 1;
  const values = { transaction_code, routing_number, account_number, amount_cents, reference, name };
  text.add(ENTRY, { ...values, addenda_indicator, trace_number });
  if (note !== undefined) text.add(ADDENDA, { note, sequence: 1, entry_sequence: trace_number.slice(-7) });
}

/** The most entries in a balanced file of these payments: each batch needs a debit, and another one per full entry. */
export function countEntriesAtMost(payments: readonly Pick<Payment, 'amount_cents'>[]): number {
  const total_cents = payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return payments.length + BATCH_GROUPS.length + Math.floor(total_cents / ENTRY_MAX_CENTS);
}

/** The debits that balance a batch: one, or several if the total has more digits than an entry can hold. */
function offsets({ offset, company_name }: OriginatingBank, total_cents: number): Entry[] {
  if (offset === null) return [];
  const count = Math.ceil(total_cents / ENTRY_MAX_CENTS);
  return Array.from({ length: count }, (_, index) => ({
    ...offset,
    amount_cents: Math.min(ENTRY_MAX_CENTS, total_cents - index * ENTRY_MAX_CENTS),
    reference: 'OFFSET',
    name: company_name,
  }));
}
