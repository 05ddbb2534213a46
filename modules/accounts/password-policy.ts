import { InvalidInputError } from '@case-platform/lib/errors';
import { dictionary } from '@zxcvbn-ts/language-common';
import { PASSWORD_MAX } from './passwords.ts';

/** Characters at least (decisions, section 5): a second factor makes up for a shorter one. */
const MIN_ALONE = 12;
const MIN_WITH_TWO_FACTOR = 8;

/** Tens of thousands of passwords that were found in leaks, made a set on first use. */
let common: Set<string> | undefined;

/**
 * Whether a password may be set. Asked only where it is set, never at login.
 * @throws {InvalidInputError} naming what is wrong with it.
 */
export function checkNewPassword(
  password: string,
  account: { email_address: string; two_factor_method: string | null },
  field = 'pass_hash',
): void {
  const min = account.two_factor_method === null ? MIN_ALONE : MIN_WITH_TWO_FACTOR;
  const length = [...password].length;
  if (length < min) throw refused(field, `A password needs at least ${min} characters.`, 'password_short');
  if (length > PASSWORD_MAX) throw refused(field, 'A password may have at most 256 characters.', 'password_long');
  if (isCommon(password, account.email_address)) {
    throw refused(field, 'This password is among the first that others would try. Choose another.', 'password_common');
  }
}

/** Whether a password is long enough without a second factor. */
export function standsAlone(password: string): boolean {
  return [...password].length >= MIN_ALONE;
}

/** What everyone hears whose password needs a second factor beside it. */
export function passwordShort(field = 'pass_hash'): InvalidInputError {
  return refused(field, `A password needs at least ${MIN_ALONE} characters.`, 'password_short');
}

function isCommon(password: string, emailAddress: string): boolean {
  common ??= new Set(dictionary['passwords-common'].map(String));
  const plain = password.toLowerCase();
  const [name = '', host = ''] = emailAddress.toLowerCase().split('@');
  if ([emailAddress.toLowerCase(), name, host].includes(plain)) return true;
  // "password1234" and "aaaaaaaaaaaa" are as easily guessed as what they are made of.
  const stem = plain.replace(/[\d\W_]+$/, '');
  return common.has(plain) || (stem.length >= 4 && common.has(stem)) || new Set(plain).size < 4;
}

function refused(field: string, message: string, code: string): InvalidInputError {
  return new InvalidInputError([{ field, message }], code);
}
