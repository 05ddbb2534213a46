import { InvalidInputError, invalid } from '@case-platform/lib/errors';
import { isEmail, normalizeEmail } from '@case-platform/lib/text/email-address';
import { cleanLine, hasAddress, isFormula } from '@case-platform/lib/text/human-text';
import { EMAIL_MAX, PERSON_NAME_MAX } from '@case-platform/words/limits';

/** Returns the address as it is stored. @throws {InvalidInputError} for an invalid address (ACCOUNT-6). */
export function parseEmail(field: string, value: string): string {
  const address = normalizeEmail(value);
  if (address.length > EMAIL_MAX || !isEmail(address)) {
    throw invalid(field, 'Enter a full email address, like name@example.com.');
  }
  return address;
}

/** Names appear in mails, where an address would become a link (EMAIL-12). */
export const ADDRESS_IN_NAME = 'A name can’t contain a web or email address. Put a space after each period.';

/**
 * Returns a name on one line. @throws {InvalidInputError} for one that is empty, too long, a formula, or contains an address
 * (ACCOUNT-4).
 */
export function parseName(field: string, value: string): string {
  const name = cleanLine(value);
  if (name === '' || [...name].length > PERSON_NAME_MAX) {
    throw invalid(field, `${field} must have 1 to ${PERSON_NAME_MAX} characters.`);
  }
  if (isFormula(name)) throw invalid(field, `${field} can’t start with ${name[0]}.`);
  if (hasAddress(name)) throw invalid(field, ADDRESS_IN_NAME);
  return name;
}

/** Returns a phone number as `+` and digits. @throws {InvalidInputError} for an impossible number, or one with an extension. */
export async function parsePhone(value: string): Promise<string> {
  // The numbering plans of all countries take 8 MiB, so they are loaded with the first number.
  const { isPossiblePhoneNumber, parsePhoneNumberFromString } = await import('libphonenumber-js');
  const compact = cleanLine(value)
    .normalize('NFKC')
    .replaceAll(/[\s().\p{Pd}]/gu, '');
  const parsed = compact.startsWith('+') ? parsePhoneNumberFromString(compact) : undefined;
  if (parsed === undefined || parsed.ext !== undefined || !isPossiblePhoneNumber(compact)) {
    throw invalid('phone', 'Enter the full phone number with its country code, like +12025550143.');
  }
  return parsed.number;
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
