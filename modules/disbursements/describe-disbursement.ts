import { moneyWords } from '@case-platform/words/money';

/** Names a request in one line: its category and amount. */
export function describeDisbursement({ category, amount_cents }: { category: string; amount_cents: number }): string {
  return `${category}, ${moneyWords(amount_cents)}`;
}
