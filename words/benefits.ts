import { moneyWords, readDollars } from './money.ts';

/** A contract limit and how much of it is used and requested (CONTRACT-2). */
interface Use {
  cap_cents: number;
  period: 'case' | 'month';
  used_cents: number;
  held_cents: number;
}

/** '$1,000.00 a month', or 'over the whole case'. */
export function capWords({ cap_cents, period }: Pick<Use, 'cap_cents' | 'period'>): string {
  return `${moneyWords(cap_cents)} ${period === 'month' ? 'a month' : 'over the whole case'}`;
}

/** '$750.00 of $1,000.00 used', plus what is requested and not paid yet. */
export function useWords({ cap_cents, period, used_cents, held_cents }: Use): string {
  const usedWords = `${moneyWords(used_cents)} of ${moneyWords(cap_cents)} used`;
  const requestedWords = held_cents === 0 ? '' : `, ${moneyWords(held_cents)} more requested`;
  return usedWords + requestedWords + (period === 'month' ? ' this month' : '');
}

/** '$250.00 left' or '$50.00 over'. */
export function leftWords({ cap_cents, used_cents, held_cents }: Use): string {
  const remaining = cap_cents - used_cents - held_cents;
  return remaining < 0 ? `${moneyWords(-remaining)} over` : `${moneyWords(remaining)} left`;
}

/** Says briefly how much of a limit is left: '$250.00 left', or 'nothing left', 'this month' if it is monthly. */
export function leftInShort(use: Use): string {
  const isUsedUp = use.cap_cents <= use.used_cents + use.held_cents;
  return `${isUsedUp ? 'nothing left' : leftWords(use)}${use.period === 'month' ? ' this month' : ''}`;
}

/**
 * How a request affects its contract limit, whose figures do not include it: '$750.00 of $1,000.00 used; this goes $50.00 over'.
 */
export function requestBenefitWords(use: Use & { left_cents: number; over_by_cents: number }): string {
  if (use.over_by_cents > 0) return `${useWords(use)}; this goes ${moneyWords(use.over_by_cents)} over`;
  return `${useWords(use)} before this, ${moneyWords(use.left_cents)} left`;
}

interface Benefit extends Use {
  category: string;
  left_cents: number;
}

/** People should know that a category has no limit before they approve a request in it. */
export function noLimitWords(category: string): string {
  return `No contract limit covers ${category}.`;
}

/** The contract limit that a request of this category counts against; upper and lower case make no difference. */
export function findBenefit<B extends Pick<Benefit, 'category'>>(benefits: readonly B[], category: string): B | undefined {
  const name = category.trim().toLowerCase();
  return benefits.find((one) => one.category.toLowerCase() === name);
}

/**
 * Describes what is left of a category's contract limit before and after this amount, or that there is no limit. Null until a
 * category is chosen.
 */
export function whatIsLeft(
  benefits: readonly Benefit[],
  { category: chosen, amount }: { category: string; amount: string },
): { words: string; isOver: boolean } | null {
  if (chosen.trim() === '') return null;
  const benefit = findBenefit(benefits, chosen);
  if (benefit === undefined) return { words: noLimitWords(chosen), isOver: false };
  const cents = readDollars(amount) ?? 0;
  const { category, left_cents } = benefit;
  const remainder = `${category}: ${leftInShort(benefit)}`;
  if (cents === 0) return { words: `${remainder}.`, isOver: false };
  if (cents <= left_cents) return { words: `${remainder}, ${moneyWords(left_cents - cents)} after this request.`, isOver: false };
  const over = moneyWords(cents - left_cents);
  return { words: `${remainder}. This goes ${over} over, so the approver has to say why.`, isOver: true };
}
