import { InvalidInputError, invalid } from '@case-platform/lib/errors';
import { isEmail, normalizeEmail } from '@case-platform/lib/text/email-address';
import { cleanLine } from '@case-platform/lib/text/human-text';
import { parseName } from '@case-platform/lib/text/typed-text';
import { EMAIL_MAX, PERSON_NAME_MAX } from '@case-platform/words/limits';

/** Returns the address as it is stored. @throws {InvalidInputError} for an invalid address (ACCOUNT-6). */
export function parseEmail(field: string, value: string): string {
  const address = normalizeEmail(value);
  if (address.length > EMAIL_MAX || !isEmail(address)) {
    throw invalid(field, 'Enter a full email address, like name@example.com.');
  }
  return address;
}

/** @throws {InvalidInputError} */
export function parsePersonName(field: 'first_name' | 'last_name', value: string): string {
  const label = field === 'first_name' ? 'The first name' : 'The last name';
  return parseName(value, { field, label, max: PERSON_NAME_MAX, empty: `${label} is missing.` });
}

/** Returns a phone number as `+` and digits. @throws {InvalidInputError} for an impossible number, or one with an extension. */
export async function parsePhone(value: string): Promise<string> {
  // The numbering plans of all countries take 8 MiB, so they are loaded with the first number.
  const { isPossiblePhoneNumber, parsePhoneNumberFromString } = await import('libphonenumber-js');
  const compact = cleanLine(value)
    .normalize('NFKC')
    .replaceAll(/[\s().\p{Pd}]/gu, '');
  const number = compact.startsWith('+') ? parsePhoneNumberFromString(compact) : undefined;
  if (number === undefined || number.ext !== undefined || !isPossiblePhoneNumber(compact)) {
    throw invalid('phone', 'Enter the full phone number with its country code, like +12025550143.');
  }
  return number.number;
}

/** Parses several fields. @throws {InvalidInputError} with the errors of all of them together. */
export async function parseFields<Fields extends Record<string, unknown>>(
  parsers: {
    [Field in keyof Fields]: () => Fields[Field] | Promise<Fields[Field]>;
  },
): Promise<Fields> {
  const errors: InvalidInputError['errors'] = [];
  const parsed: Partial<Fields> = {};
  for (const field of Object.keys(parsers) as (keyof Fields)[]) {
    try {
      parsed[field] = await parsers[field]();
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      errors.push(...error.errors);
    }
  }
  if (errors.length > 0) throw new InvalidInputError(errors);
  return parsed as Fields;
}
