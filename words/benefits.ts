import { moneyWords } from './money.ts';

/** What a contract allows for a category, and what is gone of it (decisions, section 14). */
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

/** '$750.00 of $1,000.00 used', with what is asked for and not paid yet. */
export function useWords({ cap_cents, period, used_cents, held_cents }: Use): string {
  const used = `${moneyWords(used_cents)} of ${moneyWords(cap_cents)} used`;
  const held = held_cents === 0 ? '' : `, ${moneyWords(held_cents)} more requested`;
  return used + held + (period === 'month' ? ' this month' : '');
}

/** What is left, or by how much more than the cap is taken. */
export function leftWords({ cap_cents, used_cents, held_cents }: Use): string {
  const left = cap_cents - used_cents - held_cents;
  return left < 0 ? `${moneyWords(-left)} over` : `${moneyWords(left)} left`;
}

/** What a request does to its benefit, whose figures are without it: '$750.00 of $1,000.00 used; this goes $50.00 over'. */
export function requestBenefitWords(use: Use & { left_cents: number; over_by_cents: number }): string {
  if (use.over_by_cents > 0) return `${useWords(use)}; this goes ${moneyWords(use.over_by_cents)} over`;
  return `${useWords(use)} before this, ${moneyWords(use.left_cents)} left`;
}
