import { leftWords } from '@case-platform/words/benefits';
import { moneyWords, readDollars } from '@case-platform/words/money';
import type { Benefit } from '../../api/api-shapes.ts';

/** The benefit that a request of this category counts against: capitals make no difference. */
export function findBenefit(benefits: readonly Benefit[], category: string): Benefit | undefined {
  const wanted = category.trim().toLowerCase();
  return benefits.find((one) => one.category.toLowerCase() === wanted);
}

/** What is left of a benefit, and what of that this amount would leave; null for a category without one. */
export function whatIsLeft(benefit: Benefit | undefined, amount: string): { words: string; isOver: boolean } | null {
  if (benefit === undefined) return null;
  const cents = readDollars(amount) ?? 0;
  const { category, period, left_cents } = benefit;
  const left = `${category}: ${left_cents === 0 ? 'nothing left' : leftWords(benefit)}${period === 'month' ? ' this month' : ''}`;
  if (cents === 0) return { words: `${left}.`, isOver: false };
  if (cents <= left_cents)
    return { words: `${left}, ${moneyWords(left_cents - cents)} after this request.`, isOver: false };
  const over = moneyWords(cents - left_cents);
  return { words: `${left}. This goes ${over} over, so the approver has to say why.`, isOver: true };
}
