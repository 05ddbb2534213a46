import { type FieldError, InvalidInputError } from '@case-platform/lib/errors';
import { cleanLine, isFormula } from '@case-platform/lib/text/human-text';
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
  const holder_name = cleanLine(input.holder_name);
  const routing_number = input.routing_number.replaceAll(/\s/g, '');
  const account_number = input.account_number.replaceAll(/\s/g, '');
  const errors: FieldError[] = [];
  if (holder_name === '' || [...holder_name].length > ACCOUNT_HOLDER_MAX)
    errors.push({ field: 'holder_name', message: `The name has 1 to ${ACCOUNT_HOLDER_MAX} characters.` });
  else if (!/[A-Za-z]/.test(toAchText(holder_name)))
    errors.push({ field: 'holder_name', message: 'Write the name in Latin letters, as the bank knows it.' });
  // The spelling of the bank file is checked, too, because dropping or respelling characters can leave a formula.
  else if (isFormula(holder_name) || isFormula(toAchText(holder_name)))
    errors.push({ field: 'holder_name', message: 'Start the name with a letter or a digit.' });
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
