import { csvFile } from '@case-platform/lib/csv';
import { monthWords } from '@case-platform/words/day-words';
import { cashKindInWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { groupByMonth } from '@case-platform/words/statements/statement-lines';
import type { CaseStatement } from './case-statement.ts';
import { lastDayOf } from './month-totals.ts';
import type { OwnPayments } from './own-payments.ts';

const HEADER = [
  'Date',
  'Type',
  'Description',
  'Category',
  'Paid to',
  'Amount',
  'Balance',
  'Request',
  'Month in',
  'Month out',
] as const;

/**
 * A statement for spreadsheets; its amounts add up to the closing minus the opening balance (STATEMENT-3). The totals of months
 * have their own columns, so that they do not count twice.
 */
export function caseStatementCsv({ data, months, ...statement }: CaseStatement): string {
  const { from, to, opening_balance_cents, closing_balance_cents } = statement;
  const balance = (date: string, words: string, cents: number) => [date, words, '', '', '', '', decimals(cents), '', '', ''];
  const rows = groupByMonth(data, months).flatMap(({ month, lines }) => [
    ...lines.map(lineCells),
    ...(month === null ? [] : [monthCells(month, statement)]),
  ]);
  return csvFile([
    HEADER,
    balance(from, 'Opening balance', opening_balance_cents),
    ...rows,
    balance(to, 'Closing balance', closing_balance_cents),
  ]);
}

function lineCells({ date, kind, amount_cents, balance_cents, ...line }: CaseStatement['data'][number]) {
  const about = [line.description, line.category, line.payee];
  const figures = [decimals(amount_cents), decimals(balance_cents), line.disbursement_id];
  return [date, cashKindInWords(kind), ...about, ...figures, '', ''];
}

function monthCells({ month, ...total }: CaseStatement['months'][number], period: { from: string; to: string }) {
  const { in_cents, out_cents, balance_cents } = total;
  const figures = ['', decimals(balance_cents), '', decimals(in_cents), decimals(out_cents)];
  return [lastDayOf(month, period), 'Month total', monthWords(month), '', '', ...figures];
}

/** The payments to a person, for spreadsheets. The totals of months have their own column. */
export function ownPaymentsCsv({ data, months, ...period }: OwnPayments): string {
  const rows = groupByMonth(data, months).flatMap(({ month, lines }) => [
    ...lines.map(({ date, case_id, category, description, amount_cents, state, disbursement_id }) => [
      date,
      case_id,
      sentence(category),
      description,
      decimals(amount_cents),
      state === 'paid' ? 'Paid' : 'Returned',
      disbursement_id,
      '',
    ]),
    ...(month === null ? [] : [ownMonthCells(month, period)]),
  ]);
  return csvFile([['Date', 'Case', 'Category', 'Description', 'Amount', 'State', 'Request', 'Month total'], ...rows]);
}

function ownMonthCells({ month, total_cents }: OwnPayments['months'][number], period: { from: string; to: string }) {
  return [lastDayOf(month, period), '', '', monthWords(month), '', 'Month total', '', decimals(total_cents)];
}

/** Cents as a decimal with a point and without thousands separators: -4500.00. */
function decimals(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
