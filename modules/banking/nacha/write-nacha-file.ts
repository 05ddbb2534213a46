import { toBankClock } from './bank-clock.ts';
import { FileText } from './file-text.ts';
import { BLOCKING_FACTOR, FILE_CONTROL, FILE_HEADER, FILL } from './records.ts';
import { type NachaInput, requireValidNachaInput } from './require-valid-nacha-input.ts';
import { addTotals, noTotals } from './totals.ts';
import { BATCH_GROUPS, belongsTo, writeBatch } from './write-batch.ts';

export interface NachaFile {
  text: string;
  /** Trace numbers by payment id. */
  traces: Map<number, string>;
  /** The number of entries, including the offsetting ones. */
  entries: number;
  credit_cents: number;
  debit_cents: number;
}

/**
 * Writes a NACHA file: payments to people in PPD batches and payments to companies in CCD batches, compensation apart from
 * reimbursements, in lines of 94 characters, filled with lines of nines to blocks of ten (Nacha Operating Rules, Appendix Three). A balanced file debits the offset account.
 * @throws {InvalidInputError} for a payment or a bank that a file cannot hold.
 */
export function writeNachaFile(input: NachaInput): NachaFile {
  requireValidNachaInput(input);
  const { payments } = input;
  const text = new FileText();
  addFileHeader(text, input);
  const traces = new Map<number, string>();
  const totals = noTotals();
  let sequence = input.first_trace_sequence;
  let batch_number = 0;
  for (const group of BATCH_GROUPS) {
    if (!payments.some((payment) => belongsTo(group, payment))) continue;
    batch_number += 1;
    const batch = writeBatch(text, traces, { ...input, group, batch_number, first_sequence: sequence });
    addTotals(totals, batch.totals);
    sequence = batch.next_sequence;
  }
  const block_count = Math.ceil((text.lines + 1) / BLOCKING_FACTOR);
  text.add(FILE_CONTROL, { ...totals, batch_count: batch_number, block_count });
  while (text.lines % BLOCKING_FACTOR !== 0) text.add(FILL, {});
  return {
    text: text.toString(),
    traces,
    entries: sequence - input.first_trace_sequence,
    credit_cents: totals.credit_cents,
    debit_cents: totals.debit_cents,
  };
}

function addFileHeader(text: FileText, { bank, created_at, file_id_modifier }: NachaInput): void {
  const { date, time } = toBankClock(created_at);
  text.add(FILE_HEADER, {
    immediate_destination: bank.routing_number,
    immediate_origin: bank.immediate_origin.padStart(10, ' '),
    creation_date: date,
    creation_time: time,
    file_id_modifier,
    destination_name: bank.bank_name,
    origin_name: bank.company_name,
  });
}
