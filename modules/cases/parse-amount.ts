import { invalid } from '@case-platform/lib/errors';
import { AMOUNT_IS_WRONG, isAmount } from '@case-platform/words/money';

/**
 * Returns an amount of money in cents.
 * @param field the name of the field in the error.
 * @throws {InvalidInputError} for anything but whole cents from 1 to 9,999,999,999.
 */
export function parseAmount(field: string, cents: number): number {
  if (!isAmount(cents)) throw invalid(field, AMOUNT_IS_WRONG);
  return cents;
}
