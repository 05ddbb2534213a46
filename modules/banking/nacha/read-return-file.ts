import { invalid } from '@case-platform/lib/errors';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { checkControls } from './check-controls.ts';
import { readRecord } from './layout.ts';
import { type Correction, readCorrection } from './read-correction.ts';
import { CHANGE_ADDENDA, ENTRY, RETURN_ADDENDA } from './records.ts';
import { splitRecords } from './split-records.ts';

interface ReturnedEntry {
  /** Where it stands in the file, from 1. */
  line: number;
  /** R01 and so on for a return, C01 and so on for a change. */
  code: string;
  /** The code in a sentence. */
  reason: string;
  /** The fifteen digits that we had given the entry. */
  original_trace: string;
  /** Cents; 0 for a change or a returned prenote. */
  amount_cents: number;
  /** The account holder as the bank has written it. */
  name: string;
}

export type ReturnFileEntry =
  | (ReturnedEntry & { kind: 'return' })
  | (ReturnedEntry & { kind: 'change'; correction: Correction });

/**
 * Reads what came back from the bank: returns (addenda 99) and notifications of change (addenda 98), in the file's order.
 * @throws {InvalidInputError} for a file whose records or control totals are wrong: one that was cut short is not half read.
 */
export function readReturnFile(text: string): ReturnFileEntry[] {
  const records = splitRecords(text);
  checkControls(records);
  const found: ReturnFileEntry[] = [];
  records.forEach((record, index) => {
    if (record[0] !== '6') return;
    const addenda = records[index + 1] ?? '';
    const entry = readReturned(record, addenda, index + 1);
    if (entry !== null) found.push(entry);
  });
  if (found.length === 0) throw invalid('file', 'This file has no returned payments or account corrections.');
  return found;
}

function readReturned(record: string, addenda: string, line: number): ReturnFileEntry | null {
  const entry = readRecord(ENTRY, record);
  const own = { line, amount_cents: Number(entry.amount_cents), name: entry.name };
  if (addenda.startsWith('799')) {
    const { code, original_trace } = readRecord(RETURN_ADDENDA, addenda);
    if (!/^R\d\d$/.test(code) || !/^\d{15}$/.test(original_trace)) throw wrongAddenda(line + 1);
    return { kind: 'return', ...own, code, original_trace, reason: reasonInWords(code) };
  }
  if (addenda.startsWith('798')) {
    // The corrected data are read by position: not trimmed.
    const { code, original_trace } = readRecord(CHANGE_ADDENDA, addenda);
    if (!/^C\d\d$/.test(code) || !/^\d{15}$/.test(original_trace)) throw wrongAddenda(line + 1);
    const correction = readCorrection(code, addenda.slice(35, 64));
    return { kind: 'change', ...own, code, original_trace, reason: reasonInWords(code), correction };
  }
  return null;
}

function wrongAddenda(line: number) {
  return invalid('file', `Line ${line} names no return or change code with the trace number of an entry.`);
}
