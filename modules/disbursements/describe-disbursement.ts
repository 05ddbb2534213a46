import { moneyWords } from '@case-platform/words/money';

/** The label of a request in the audit log: its category and amount. */
export function describeDisbursement({ category, amount_cents }: { category: string; amount_cents: number }): string {
  return `${category}, ${moneyWords(amount_cents)}`;
}
