import { invalid } from '@case-platform/lib/errors';

const AMOUNT = /^\$?\s?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/;

/**
 * An amount as people write it ("1,234.5", "$500") in cents; null for an empty field.
 * @throws {InvalidInputError} for anything else, such as a third decimal place.
 */
export function readDollars(field: string, text: string): number | null {
  if (text.trim() === '') return null;
  const [, dollars, cents = ''] = AMOUNT.exec(text.trim()) ?? [];
  if (dollars === undefined || dollars.length > 15)
    throw invalid(field, 'Write the amount in dollars, such as 1,250 or 99.50.');
  return Number(dollars.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'));
}
