import { csvFile } from '@case-platform/lib/csv';
import { cashKindInWords } from '@case-platform/words/money';
import type { CaseStatement } from './case-statement.ts';
import type { OwnPayments } from './own-payments.ts';

/** A statement for spreadsheets; its amounts add up to the closing minus the opening balance (STATEMENT-3). */
export function caseStatementCsv({ from, to, data, ...statement }: CaseStatement): string {
  return csvFile([
    ['Date', 'Type', 'Description', 'Amount', 'Balance', 'Request'],
    [from, 'Opening balance', '', '', decimals(statement.opening_balance_cents), ''],
    ...data.map(({ date, kind, description, amount_cents, balance_cents, disbursement_id }) => [
      date,
      cashKindInWords(kind),
      description,
      decimals(amount_cents),
      decimals(balance_cents),
      disbursement_id,
    ]),
    [to, 'Closing balance', '', '', decimals(statement.closing_balance_cents), ''],
  ]);
}

/** The payments to a person, for spreadsheets. */
export function ownPaymentsCsv({ data }: OwnPayments): string {
  return csvFile([
    ['Date', 'Case', 'Category', 'Description', 'Amount', 'State', 'Request'],
    ...data.map(({ date, case_id, category, description, amount_cents, state, disbursement_id }) => [
      date,
      case_id,
      category,
      description,
      decimals(amount_cents),
      state === 'paid' ? 'Paid' : 'Returned',
      disbursement_id,
    ]),
  ]);
}

/** Cents as a decimal with a point and without thousands separators: -4500.00. */
function decimals(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
