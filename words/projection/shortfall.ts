import { monthWords } from '../day-words.ts';
import { moneyWords } from '../money.ts';

/** 'Short by $150.00 from March 2027 on': the same figure on every page (PROJECTION-2). */
export function shortfallWords({ missing_cents, month }: { missing_cents: number; month: string }): string {
  return `Short by ${moneyWords(missing_cents)} from ${monthWords(month)} on`;
}
