import { invalid } from '@case-platform/lib/errors';
import { typingLocale } from '@case-platform/lib/reader-locale';
import { AMOUNT_IS_WRONG, readDollars } from '@case-platform/words/money';

/** The amount in a form's field, in cents. @throws {InvalidInputError} for anything that is not an amount. */
export function readAmount(field: string, text: string): number {
  const cents = readDollars(text, typingLocale());
  if (cents === null) throw invalid(field, AMOUNT_IS_WRONG);
  return cents;
}
