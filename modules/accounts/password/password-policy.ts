import { InvalidInputError } from '@case-platform/lib/errors';
import { PASSWORD_MAX, PASSWORD_MIN, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';

/** Tens of thousands of passwords that were found in leaks: 18 MiB that are loaded on first use. */
let common: Promise<Set<string>> | undefined;

/**
 * Whether a password may be set. Asked only where it is set, never at login.
 * @throws {InvalidInputError} naming what is wrong with it.
 */
export async function checkNewPassword(
  password: string,
  account: Owner & { two_factor_method: string | null },
  field = 'pass_hash',
): Promise<void> {
  const min = account.two_factor_method === null ? PASSWORD_MIN : PASSWORD_MIN_WITH_TWO_FACTOR;
  const length = [...password].length;
  if (length < min) throw refused(field, `A password needs at least ${min} characters.`, 'password_short');
  if (length > PASSWORD_MAX)
    throw refused(field, `A password can have up to ${PASSWORD_MAX} characters.`, 'password_long');
  common ??= loadCommon();
  if (isCommon(password, account, await common)) {
    throw refused(field, 'This password is too easy to guess. Choose another one.', 'password_common');
  }
}

/** Whether a password is long enough without a second factor. */
export function standsAlone(password: string): boolean {
  return [...password].length >= PASSWORD_MIN;
}

/** What everyone hears whose password needs a second factor beside it. */
export function passwordShort(field = 'pass_hash'): InvalidInputError {
  return refused(field, `A password needs at least ${PASSWORD_MIN} characters.`, 'password_short');
}

/** What whoever knows this product tries first: its own words, and those of the people in it. */
const PRODUCT_WORDS = (
  'case platform caseplatform parent parents intended surrogate surrogates surrogacy escrow specialist agency agencies ' +
  'manager owner admin administrator representative payment payments pregnancy baby babies birth family love welcome ' +
  'password passwort login secret change letmein my our the new test demo'
).split(' ');
/** Digits and signs beside such words that add nothing to guess: a year, a date, an exclamation mark. */
const DECORATION_MAX = 8;

/** Of a phone number: what people say without the code of country and area. */
const PHONE_PART_MIN = 7;

/** Whose password it is: what names them is the first that others try. */
interface Owner {
  email_address: string;
  first_name?: string;
  last_name?: string;
  phone?: string | null;
}

async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

function isCommon(password: string, owner: Owner, common: ReadonlySet<string>): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  // "parentparent" is as easily guessed as "parent".
  const unit = /^(.+?)\1+$/su.exec(plain)?.[1];
  if (unit !== undefined && [...unit].length < PASSWORD_MIN_WITH_TWO_FACTOR) return true;
  // "password1234" and "aaaaaaaaaaaa" are as easily guessed as what they are made of.
  const stem = plain.replace(/[\d\W_]+$/, '');
  if (common.has(plain) || (stem.length >= 4 && common.has(stem)) || new Set(plain).size < 4) return true;
  const rest = withoutPhone(plain, owner.phone ?? '');
  const letters = rest.replaceAll(/[^\p{L}]+/gu, '');
  const beside = [...rest].length - [...letters].length;
  if (beside > DECORATION_MAX) return false;
  return isMadeOf(letters, [...PRODUCT_WORDS, ...wordsOf(owner)]) || (letters === '' && rest !== plain);
}

/** A text without the owner's number in it, with or without its first digits and however it is spaced. */
function withoutPhone(text: string, phone: string): string {
  const digits = phone.replaceAll(/\D/g, '');
  const close = text.replaceAll(/[\s().+/-]+/g, '');
  for (let from = 0; digits.length - from >= PHONE_PART_MIN; from += 1) {
    const part = digits.slice(from);
    if (close.includes(part)) return close.replace(part, '');
  }
  return text;
}

function wordsOf({ email_address, first_name = '', last_name = '' }: Owner): string[] {
  const text = `${email_address} ${first_name} ${last_name}`.normalize('NFKC').toLowerCase();
  return text.split(/[^\p{L}]+/u).filter((word) => word.length >= 2);
}

/** Whether a text is nothing but these words, one after the other. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const ends = new Set([0]);
  for (let at = 0; at < text.length; at += 1) {
    if (!ends.has(at)) continue;
    for (const word of words) if (text.startsWith(word, at)) ends.add(at + word.length);
  }
  return text !== '' && ends.has(text.length);
}

function refused(field: string, message: string, code: string): InvalidInputError {
  return new InvalidInputError([{ field, message }], code);
}
