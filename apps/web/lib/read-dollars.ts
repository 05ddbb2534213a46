const AMOUNT = /^\$?\s?(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d{1,2}))?$/;
/** Cents of one request at most (decisions, section 8). */
const MOST_CENTS = 9_999_999_999;

/**
 * An amount as people type it ("1,234.5", "$500", ".50") in whole cents, counted digit by digit; null when it is none, or
 * more or less than a request may ask for.
 */
export function readDollars(text: string): number | null {
  const [, dollars, decimals = ''] = AMOUNT.exec(text.trim().replace(/^(\$?\s?)\./, '$10.')) ?? [];
  if (dollars === undefined) return null;
  const cents = Number(dollars.replaceAll(',', '') + decimals.padEnd(2, '0'));
  return cents >= 1 && cents <= MOST_CENTS ? cents : null;
}

/** Whole cents as a field shows them: 1,234.50. */
export function dollarsField(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
}
