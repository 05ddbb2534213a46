import { type FieldError, InvalidInputError, invalid } from '@case-platform/lib/errors';
import { isFormula } from '@case-platform/lib/text/human-text';
import { parseCell } from '@case-platform/lib/text/typed-text';
import { ACCOUNT_HOLDER_MAX } from '@case-platform/words/limits';
import { toAchText } from '../nacha/ach-text.ts';
import type { AccountKind } from '../nacha/records.ts';
import { isRoutingNumber } from '../nacha/routing-number.ts';

export interface BankAccountInput {
  holder_name: string;
  routing_number: string;
  account_number: string;
  account_kind: AccountKind;
}

/** Returns the input without the spaces that people type. @throws {InvalidInputError} naming each field that is not valid. */
export function parseBankAccount(input: BankAccountInput): BankAccountInput {
  const errors: FieldError[] = [];
  let holder_name = '';
  try {
    holder_name = parseHolder(input.holder_name);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    errors.push(...error.errors);
  }
  const routing_number = input.routing_number.replaceAll(/\s/g, '');
  const account_number = input.account_number.replaceAll(/\s/g, '');
  if (!isRoutingNumber(routing_number))
    errors.push({
      field: 'routing_number',
      message: 'This isn’t a routing number. Enter its nine digits, as on a check.',
    });
  if (!/^[0-9A-Za-z][0-9A-Za-z-]{2,15}[0-9A-Za-z]$/.test(account_number))
    errors.push({ field: 'account_number', message: 'An account number has 4 to 17 digits or letters.' });
  if (errors.length > 0) throw new InvalidInputError(errors);
  return { holder_name, routing_number, account_number, account_kind: input.account_kind };
}

/** @throws {InvalidInputError} also for a name that a bank file cannot show. */
export function parseHolder(name: string): string {
  const empty = 'Enter the name of the account’s holder.';
  const holder = parseCell(name, { field: 'holder_name', label: 'The name', max: ACCOUNT_HOLDER_MAX, empty });
  const inFile = toAchText(holder);
  if (!/[A-Za-z]/.test(inFile)) throw invalid('holder_name', 'Write the name in Latin letters, as the bank knows it.');
  // Dropping or respelling characters can leave a formula.
  if (isFormula(inFile)) throw invalid('holder_name', 'Start the name with a letter or a digit.');
  return holder;
}
