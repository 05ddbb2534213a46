import { type FieldError, InvalidInputError } from '@case-platform/lib/errors';
import { isBankingDay } from '@case-platform/words/bank-days';
import { toAchText } from './ach-text.ts';
import { ENTRY_MAX_CENTS, PAYMENTS_MAX, SAME_DAY_MAX_CENTS, TOTAL_MAX_CENTS, TRACE_SEQUENCE_MAX } from './limits.ts';
import type { AccountNumber, OriginatingBank } from './originating-bank.ts';
import { isRoutingNumber } from './routing-number.ts';
import { countEntriesAtMost, type Payment } from './write-batch.ts';

export interface NachaInput {
  bank: OriginatingBank;
  payments: readonly Payment[];
  created_at: Date;
  /** YYYY-MM-DD, a banking day. */
  effective_date: string;
  same_day: boolean;
  /** A to Z, then 0 to 9: one for each file of a day. */
  file_id_modifier: string;
  /** The last seven digits of the first entry's trace number, 1 to 9,999,999. */
  first_trace_sequence: number;
}

/** @throws {InvalidInputError} naming each payment and setting that a file cannot hold (NACHA-2). */
export function requireValidNachaInput(input: NachaInput): void {
  const errors: FieldError[] = [...bankErrors(input)];
  const { payments } = input;
  if (payments.length === 0) errors.push({ field: 'payments', message: 'Choose at least one payment.' });
  if (payments.length > PAYMENTS_MAX)
    errors.push({ field: 'payments', message: 'Choose fewer payments. These don’t fit in one file.' });
  for (const payment of payments) for (const error of paymentErrors(payment, input.same_day)) errors.push(error);
  const total = payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  if (total > TOTAL_MAX_CENTS) {
    errors.push({ field: 'payments', message: 'Choose fewer payments: one file can hold $9,999,999,999.99 in total.' });
  }
  if (errors.length > 0) throw new InvalidInputError(errors);
}

function bankErrors({ bank, effective_date, file_id_modifier, first_trace_sequence, payments }: NachaInput) {
  const wrong: [boolean, string, string][] = [
    [!isRoutingNumber(bank.routing_number), 'bank.routing_number', 'Check our bank’s routing number in the bank settings.'],
    [
      !isCode(bank.immediate_origin, 10),
      'bank.immediate_origin',
      'Enter an immediate origin of 1 to 10 plain letters and digits.',
    ],
    [!isCode(bank.company_id, 10), 'bank.company_id', 'Enter a company ID of 1 to 10 plain letters and digits.'],
    [toAchText(bank.company_name) === '', 'bank.company_name', 'Enter our company’s name in Latin letters.'],
    [bank.offset !== null && !isAccount(bank.offset), 'bank.offset', 'Complete our account for balanced files.'],
    [!isBankingDate(effective_date), 'effective_date', 'Banks are closed on the payment date. Choose a banking day.'],
    [!/^[A-Z0-9]$/.test(file_id_modifier), 'file_id_modifier', 'No more files can be made for this day.'],
    [
      first_trace_sequence < 1 || first_trace_sequence + countEntriesAtMost(payments) - 1 > TRACE_SEQUENCE_MAX,
      'first_trace_sequence',
      'The trace numbers for today are used up.',
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, field, message]) => ({ field, message }));
}

function paymentErrors(payment: Payment, same_day: boolean): FieldError[] {
  return REASONS.filter(([isWrong]) => isWrong(payment, same_day)).map(([, message]) => ({
    field: `payments.${payment.id}`,
    message,
  }));
}

const REASONS: readonly [isWrong: (payment: Payment, same_day: boolean) => boolean, message: string][] = [
  [
    ({ amount_cents }) => !Number.isSafeInteger(amount_cents) || amount_cents < 1,
    'The amount must be at least $0.01, in whole cents.',
  ],
  [({ amount_cents }) => amount_cents > ENTRY_MAX_CENTS, 'The amount must be $99,999,999.99 or less.'],
  [
    ({ amount_cents }, same_day) => same_day && amount_cents > SAME_DAY_MAX_CENTS,
    'Same-day payments can be $1,000,000.00 at most.',
  ],
  [(payment) => !isAccount(payment), 'The payee’s bank account is incomplete.'],
  [({ name }) => toAchText(name) === '', 'Enter the account holder’s name in Latin letters.'],
  [({ reference }) => !isCode(reference, 15), 'The reference must be 1 to 15 plain letters and digits.'],
];

function isBankingDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text).getTime() : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && isBankingDay(text);
}

function isAccount({ routing_number, account_number }: AccountNumber): boolean {
  return isRoutingNumber(routing_number) && isAccountNumber(account_number);
}

/** True for the account numbers that an entry can hold: 1 to 17 digits, letters, and hyphens. */
export function isAccountNumber(text: string): boolean {
  return /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,15}[0-9A-Za-z])?$/.test(text);
}

function isCode(text: string, width: number): boolean {
  return text.length <= width && /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
