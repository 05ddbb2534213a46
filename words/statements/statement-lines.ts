import { monthWords, tableDayWords } from '../day-words.ts';
import { type CashKind, cashKindInWords, moneyWords } from '../money.ts';
import { sentence } from '../sentence.ts';

/** One movement of a case's cash, as far as its words need it. */
interface CashLine {
  kind: CashKind;
  /** Null for deposits and refunds. */
  category: string | null;
  /** The name of the payee; null for deposits and refunds. */
  payee: string | null;
}

/** The small print of a statement's line, below what it was for: "Payment · Travel · to Sarah Lindgren". */
export function cashLineWords({ kind, category, payee }: CashLine): string {
  const about = [category && sentence(category), payee && `${kind === 'return' ? 'from' : 'to'} ${payee}`];
  return [cashKindInWords(kind), ...about.filter(Boolean)].join(' · ');
}

interface SetAsideLine {
  category: string;
  payee: string;
  whereabouts: { label: string; arrives: { date: string; if: string | null } | null };
}

/**
 * A payment that the balance still contains: the day on which it should arrive ("–" while none is certain), and its small print,
 * "Approved · Travel · to Sarah Lindgren".
 */
export function setAsideWords({ category, payee, whereabouts }: SetAsideLine): { day: string; note: string } {
  const { label, arrives } = whereabouts;
  const isCertain = arrives !== null && arrives.if === null;
  return { day: isCertain ? tableDayWords(arrives.date) : '–', note: `${label} · ${sentence(category)} · to ${payee}` };
}

/** The total of a month in words: its name, and what came in and went out (STATEMENT-7). */
export function monthTotalWords(month: { month: string; in_cents: number; out_cents: number }): { name: string; totals: string } {
  const totals = `${moneyWords(month.in_cents)} in, ${moneyWords(Math.abs(month.out_cents))} out`;
  return { name: `${monthWords(month.month)} total`, totals };
}

/** The groups of a statement: the lines of each month that has a total; one group without a total if no month has one. */
export function groupByMonth<Line extends { date: string }, Month extends { month: string }>(
  lines: readonly Line[],
  months: readonly Month[],
): { month: Month | null; lines: readonly Line[] }[] {
  if (months.length === 0) return [{ month: null, lines }];
  return months.map((month) => ({ month, lines: lines.filter(({ date }) => date.startsWith(month.month)) }));
}
