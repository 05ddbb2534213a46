import { counted } from '@case-platform/words/counts';
import { fullDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { timeWords } from '@case-platform/words/times';
import { readRecord } from './layout.ts';
import { readReason } from './read-reason.ts';
import {
  ADDENDA,
  BATCH_CONTROL,
  BATCH_HEADER,
  ENTRY,
  FILE_CONTROL,
  FILE_HEADER,
  PADDING,
  readTransactionCode,
} from './records.ts';
import { splitRecords } from './split-records.ts';

export interface ExplainedRecord {
  line: number;
  /** The record's name, such as 'File header' or 'Entry'. */
  title: string;
  /** A sentence that explains the record. */
  words: string;
  /** The 94 characters, with account numbers masked except for their last four. */
  text: string;
}

/**
 * Explains a NACHA file record by record, with account numbers masked. The lines of nines at the end are one record.
 * @param options.last_four false masks account numbers completely.
 * @throws {InvalidInputError} when the text is not such a file.
 */
export function explainNachaFile(text: string, { last_four = true } = {}): ExplainedRecord[] {
  const records = splitRecords(text);
  const padding = records.findIndex((record, index) => index > 0 && record === PADDING);
  const shown = padding < 0 ? records : records.slice(0, padding + 1);
  return shown.map((record, index) => {
    const line = index + 1;
    if (record === PADDING) {
      const count = records.length - index;
      const lines = count === 1 ? 'One line' : `${count} lines`;
      return {
        line,
        title: 'Fill',
        words: `${lines} of nines that fill the file up to a multiple of ten lines.`,
        text: record,
      };
    }
    return { line, ...explain(last_four ? record : mask(record, 0)) };
  });
}

function explain(record: string): Omit<ExplainedRecord, 'line'> {
  const [title, words] = EXPLANATIONS[record[0] ?? '']?.(record) ?? ['Record', 'We don’t recognize this line.'];
  return { title, words, text: mask(record) };
}

const EXPLANATIONS: Record<string, (record: string) => [title: string, words: string]> = {
  1: (record) => {
    const file = readRecord(FILE_HEADER, record);
    const creation = `made on ${dateInWords(file.creation_date)} at ${timeInWords(file.creation_time)} Eastern time`;
    const to = `To ${file.destination_name || 'the bank'} (routing number ${file.immediate_destination})`;
    return ['File header', `${to} from ${file.origin_name}, ${creation}, file ${file.file_id_modifier} of that day.`];
  },
  5: (record) => {
    const batch = readRecord(BATCH_HEADER, record);
    const receivers = { PPD: 'people', CCD: 'companies', COR: 'nobody: corrections of our data' }[batch.entry_class];
    const what = `Payments to ${receivers ?? batch.entry_class} (${batch.entry_class})`;
    const sameDay = batch.descriptive_date.startsWith('SD') ? ', on the same day' : '';
    const when = `effective ${dateInWords(batch.effective_date)}${sameDay}`;
    return [
      `Batch ${Number(batch.batch_number)}`,
      `${what} for ${batch.company_name}, shown as ${batch.entry_description || 'nothing'}, ${when}.`,
    ];
  },
  6: (record) => {
    const entry = readRecord(ENTRY, record);
    const kind = readTransactionCode(entry.transaction_code);
    const verb = kind?.is_credit === false ? 'from' : 'to';
    const lastFour = entry.account_number.slice(-4);
    // People who may not see accounts get a fully masked number, so no ending is named.
    const ending = lastFour === '****' ? '' : ` ending in ${lastFour}`;
    const account = `the ${kind?.account_kind ?? ''} account${ending}`;
    const bank = `at the bank with routing number ${entry.routing_number}`;
    const trace = `Trace number ${entry.trace_number}.`;
    const title = entry.reference === 'OFFSET' ? 'Offset' : 'Entry';
    const amount = moneyInWords(entry.amount_cents);
    return [title, `${amount} ${verb} ${entry.name}, ${account} ${bank}, reference ${entry.reference}. ${trace}`];
  },
  7: (record) => ['Addenda', readReason(record) ?? `Note for the receiver: ${readRecord(ADDENDA, record).note}`],
  8: (record) => {
    const batch = readRecord(BATCH_CONTROL, record);
    return [`End of batch ${Number(batch.batch_number)}`, totalsInWords(batch)];
  },
  9: (record) => {
    const file = readRecord(FILE_CONTROL, record);
    const size = `${counted(Number(file.batch_count), 'batch', 'batches')} in ${counted(Number(file.block_count), 'block', 'blocks')} of ten lines`;
    return ['End of the file', `${size}. ${totalsInWords(file)}`];
  },
};

function totalsInWords(control: Record<'entry_count' | 'entry_hash' | 'debit_cents' | 'credit_cents', string>): string {
  const entries = counted(Number(control.entry_count), 'entry or addenda', 'entries and addenda');
  const money = `${moneyInWords(control.credit_cents)} paid out, ${moneyInWords(control.debit_cents)} collected`;
  return `${entries}; ${money}; check sum of the routing numbers ${control.entry_hash}.`;
}

const moneyInWords = (digits: string) => moneyWords(Number(digits));

/** HHMM as `2:05 PM`; the digits themselves if they are not a time. */
function timeInWords(digits: string): string {
  const moment = Date.parse(`1970-01-01T${digits.slice(0, 2)}:${digits.slice(2)}Z`);
  return Number.isNaN(moment) ? digits : timeWords(moment, { zone: 'UTC' });
}

/** YYMMDD as `Monday, November 23, 2026`; the digits themselves if they are not a date. */
function dateInWords(digits: string): string {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(digits) ?? [];
  const date = `20${year}-${month}-${day}`;
  return Number.isNaN(Date.parse(date)) ? digits : fullDayWords(date);
}

/** Masks the account number of an entry, or of a correction, except for its last characters. */
function mask(record: string, visible = 4): string {
  const [start, end] = record.startsWith('6') ? [12, 29] : record.startsWith('798') ? [35, 64] : [0, 0];
  const field = record.slice(start, end);
  const value = field.trimEnd();
  const hidden = value.slice(0, Math.max(0, value.length - visible)).replaceAll(/[^ ]/g, '*');
  return record.slice(0, start) + (hidden + value.slice(hidden.length)).padEnd(field.length, ' ') + record.slice(end);
}
