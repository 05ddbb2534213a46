const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** An amount in cents as people read it: $1,234.50. */
export function moneyWords(cents: number): string {
  return DOLLARS.format(cents / 100);
}
