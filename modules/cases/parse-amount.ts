import { invalid } from '@case-platform/lib/errors';
import { AMOUNT_IS_WRONG, isAmount } from '@case-platform/words/money';

/**
 * Returns an amount in cents.
 * @param field the field of the error.
 * @throws {InvalidInputError} unless it is whole cents from 1 to 9,999,999,999 (REQUEST-3).
 */
export function parseAmount(field: string, cents: number): number {
  if (!isAmount(cents)) throw invalid(field, AMOUNT_IS_WRONG);
  return cents;
}
