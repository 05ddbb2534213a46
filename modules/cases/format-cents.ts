const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Cents as people read them: `$1,234.56`. */
export function formatCents(cents: number): string {
  return DOLLARS.format(cents / 100);
}
