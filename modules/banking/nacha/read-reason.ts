import { reasonInWords } from '@case-platform/words/bank-reasons';
import { readRecord } from './layout.ts';
import { CHANGE_ADDENDA, RETURN_ADDENDA } from './records.ts';

/** Describes the addenda record of a return or a notification of change in words; null for any other record. */
export function readReason(record: string): string | null {
  const layout = { '799': RETURN_ADDENDA, '798': CHANGE_ADDENDA }[record.slice(0, 3)];
  if (layout === undefined) return null;
  const { code, original_trace } = readRecord(layout, record);
  const what = record.startsWith('799') ? 'Came back' : 'To be corrected';
  return `${what} (${code}): ${reasonInWords(code)} It is about the entry with trace number ${original_trace}.`;
}
