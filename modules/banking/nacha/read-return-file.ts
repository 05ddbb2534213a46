import { invalid } from '@case-platform/lib/errors';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { readRecord } from './layout.ts';
import { type Correction, readCorrection } from './read-correction.ts';
import { CHANGE_ADDENDA, ENTRY, RETURN_ADDENDA } from './records.ts';
import { requireMatchingControls } from './require-matching-controls.ts';
import { splitRecords } from './split-records.ts';

interface ReturnedEntry {
  /** The line of the entry, starting at 1, without lines that are not part of a NACHA file. */
  line: number;
  /** A return has R01 and so on, a notification of change C01 and so on. */
  code: string;
  reason: string;
  /** The fifteen digits of the trace number that we assigned to the entry. */
  original_trace: string;
  /** Cents; 0 for a change or a returned prenote. */
  amount_cents: number;
  /** The account holder as spelled by the bank. */
  name: string;
}

export type ReturnFileEntry = (ReturnedEntry & { kind: 'return' }) | (ReturnedEntry & { kind: 'change'; correction: Correction });

/**
 * Reads a file from the bank: returns (addenda 99) and notifications of change (addenda 98), in file order.
 * @throws {InvalidInputError} when records or control totals are wrong, so that a file that was cut short is rejected as a whole.
 */
export function readReturnFile(text: string): ReturnFileEntry[] {
  const records = splitRecords(text);
  requireMatchingControls(records);
  const entries: ReturnFileEntry[] = [];
  records.forEach((record, index) => {
    if (record[0] !== '6') return;
    const addenda = records[index + 1] ?? '';
    const entry = readReturned(record, addenda, index + 1);
    if (entry !== null) entries.push(entry);
  });
  if (entries.length === 0) throw invalid('file', 'This file has no returned payments or account corrections.');
  return entries;
}

function readReturned(record: string, addenda: string, line: number): ReturnFileEntry | null {
  const entry = readRecord(ENTRY, record);
  const own = { line, amount_cents: Number(entry.amount_cents), name: entry.name };
  if (addenda.startsWith('799')) {
    const { code: written, original_trace } = readRecord(RETURN_ADDENDA, addenda);
    const code = written.toUpperCase();
    if (!/^R\d\d$/.test(code) || !/^\d{15}$/.test(original_trace)) throw wrongAddenda(line + 1);
    return { kind: 'return', ...own, code, original_trace, reason: reasonInWords(code) };
  }
  if (addenda.startsWith('798')) {
    // Corrected values are read by position, so their blanks must stay.
    const { code: written, original_trace } = readRecord(CHANGE_ADDENDA, addenda);
    const code = written.toUpperCase();
    if (!/^C\d\d$/.test(code) || !/^\d{15}$/.test(original_trace)) throw wrongAddenda(line + 1);
    const correction = readCorrection(code, addenda.slice(35, 64));
    return { kind: 'change', ...own, code, original_trace, reason: reasonInWords(code), correction };
  }
  return null;
}

function wrongAddenda(line: number) {
  return invalid('file', `Line ${line} names no return or change code with the trace number of an entry.`);
}
