/** Cents of one amount at most, from a request to a deposit (decisions, section 8). */
export const CENTS_MAX = 9_999_999_999;

/** What is said beside a field whose text is no amount. */
export const AMOUNT_IS_WRONG = 'Enter an amount between $0.01 and $99,999,999.99.';

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const AMOUNT = /^\$?\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/;

/** Whether this is an amount: whole cents, at least one. */
export function isAmount(cents: number): boolean {
  return Number.isInteger(cents) && cents >= 1 && cents <= CENTS_MAX;
}

/**
 * An amount as people write it ("1,234.5", "$500", ".50") in whole cents, counted digit by digit; null for anything else, such
 * as an empty field, a third decimal place, nothing at all or more than an amount may be.
 */
export function readDollars(text: string): number | null {
  const [, dollars, decimals = ''] = AMOUNT.exec(text.trim().replace(/^(\$?\s?)\./, '$10.')) ?? [];
  if (dollars === undefined) return null;
  const cents = Number(dollars.replaceAll(',', '') + decimals.padEnd(2, '0'));
  return isAmount(cents) ? cents : null;
}

/** Whole cents as a field shows them: 1,234.50. */
export function dollarsField(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
}

/** Cents as people read them: $1,234.50. */
export function moneyWords(cents: number): string {
  return DOLLARS.format(cents / 100);
}
