import { blank, code, fixed, layout, number, text } from './layout.ts';

/** The records of a NACHA file (Nacha Operating Rules, Appendix Three, 'ACH Record Format Specifications'). */

export const FILE_HEADER = layout('1', [
  fixed('01'),
  blank(1),
  number('immediate_destination', 9),
  code('immediate_origin', 10),
  number('creation_date', 6),
  number('creation_time', 4),
  code('file_id_modifier', 1),
  fixed('094'),
  fixed('10'),
  fixed('1'),
  text('destination_name', 23),
  text('origin_name', 23),
  blank(8),
]);

export const BATCH_HEADER = layout('5', [
  number('service_class', 3),
  text('company_name', 16),
  blank(20),
  code('company_id', 10),
  code('entry_class', 3),
  text('entry_description', 10),
  code('descriptive_date', 6),
  number('effective_date', 6),
  blank(3),
  fixed('1'),
  number('odfi', 8),
  number('batch_number', 7),
]);

export const ENTRY = layout('6', [
  number('transaction_code', 2),
  number('routing_number', 9),
  code('account_number', 17),
  number('amount_cents', 10),
  code('reference', 15),
  text('name', 22),
  blank(2),
  number('addenda_indicator', 1),
  number('trace_number', 15),
]);

/** Type 05 has a note about the payment. */
export const ADDENDA = layout('7', [fixed('05'), text('note', 80), number('sequence', 4), number('entry_sequence', 7)]);

/** Type 99 says why an entry came back. */
export const RETURN_ADDENDA = layout('7', [
  fixed('99'),
  code('code', 3),
  number('original_trace', 15),
  code('date_of_death', 6),
  code('original_bank', 8),
  text('information', 44),
  number('trace_number', 15),
]);

/** Type 98 is a notification of change and has the corrected values. */
export const CHANGE_ADDENDA = layout('7', [
  fixed('98'),
  code('code', 3),
  number('original_trace', 15),
  blank(6),
  code('original_bank', 8),
  code('corrected', 29),
  blank(15),
  number('trace_number', 15),
]);

export const BATCH_CONTROL = layout('8', [
  number('service_class', 3),
  number('entry_count', 6),
  number('entry_hash', 10),
  number('debit_cents', 12),
  number('credit_cents', 12),
  code('company_id', 10),
  blank(19),
  blank(6),
  number('odfi', 8),
  number('batch_number', 7),
]);

export const FILE_CONTROL = layout('9', [
  number('batch_count', 6),
  number('block_count', 6),
  number('entry_count', 8),
  number('entry_hash', 10),
  number('debit_cents', 12),
  number('credit_cents', 12),
  blank(39),
]);

export const PADDING = '9'.repeat(94);
export const FILL = layout('9', [fixed('9'.repeat(93))]);
export const BLOCKING_FACTOR = 10;

export type AccountKind = 'checking' | 'savings';
export const CREDIT_CODES: Record<AccountKind, number> = { checking: 22, savings: 32 };
export const DEBIT_CODES: Record<AccountKind, number> = { checking: 27, savings: 37 };

/** 2x is checking and 3x is savings; x0 to x4 puts money in (including returns, changes, and prenotes), x5 to x9 takes it out. */
export function readTransactionCode(value: string): { account_kind: AccountKind; is_credit: boolean } | null {
  const [, kind, digit] = /^([23])(\d)$/.exec(value) ?? [];
  if (kind === undefined || digit === undefined) return null;
  return { account_kind: kind === '2' ? 'checking' : 'savings', is_credit: Number(digit) < 5 };
}
