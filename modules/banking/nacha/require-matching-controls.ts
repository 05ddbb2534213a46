import { invalid } from '@case-platform/lib/errors';
import { readRecord } from './layout.ts';
import { BATCH_CONTROL, ENTRY, FILE_CONTROL, PADDING, readTransactionCode } from './records.ts';
import { addEntry, addTotals, noTotals, type Totals } from './totals.ts';

/** @throws {InvalidInputError} when records are out of order, or a control record does not match the records that it closes. */
export function requireMatchingControls(records: readonly string[]): void {
  const file = noTotals();
  let batch: Totals | null = null;
  let batches = 0;
  let line = 1;
  for (; line < records.length; line += 1) {
    const record = records[line] ?? '';
    const type = record[0];
    if (type === '9') break;
    if (type === '1' || (type === '5') !== (batch === null)) throw disagrees(line, 'is out of order');
    if (type === '5') batch = noTotals();
    if (batch === null) continue;
    if (type === '6') addRecord(batch, record, line);
    if (type === '7') batch.entry_count += 1;
    if (type !== '8') continue;
    compare(batch, readRecord(BATCH_CONTROL, record), line);
    addTotals(file, batch);
    batches += 1;
    batch = null;
  }
  if (line >= records.length || batch !== null) throw disagrees(records.length - 1, 'is the last, yet the file is not closed');
  const control = readRecord(FILE_CONTROL, records[line] ?? '');
  compare(file, control, line);
  if (Number(control.batch_count) !== batches) throw disagrees(line, 'does not count the batches before it');
  if (records.slice(line + 1).some((record) => record !== PADDING)) throw disagrees(line + 1, 'follows the end of the file');
}

function addRecord(batch: Totals, record: string, line: number): void {
  const { transaction_code, routing_number, amount_cents } = readRecord(ENTRY, record);
  const kind = readTransactionCode(transaction_code);
  if (kind === null || !/^\d{9}$/.test(routing_number) || !/^\d{10}$/.test(amount_cents))
    throw disagrees(line, 'is not an entry that can be read');
  const { is_credit } = kind;
  addEntry(batch, { routing_number, amount_cents: Number(amount_cents) }, { is_credit, addenda: 0 });
}

function compare(totals: Totals, control: Record<keyof Totals, string>, line: number): void {
  for (const name of ['entry_count', 'entry_hash', 'debit_cents', 'credit_cents'] as const)
    if (Number(control[name]) !== totals[name]) throw disagrees(line, 'does not agree with the lines before it');
}

function disagrees(index: number, what: string) {
  return invalid('file', `Line ${index + 1} ${what}. Ask the bank to send the file again.`);
}
