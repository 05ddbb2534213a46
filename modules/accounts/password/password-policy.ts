import { InvalidInputError } from '@case-platform/lib/errors';
import { PASSWORD_MAX, PASSWORD_MIN, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';

/** Tens of thousands of leaked passwords: 18 MiB, loaded on first use. */
let common: Promise<Set<string>> | undefined;

/**
 * Requires that a new password is allowed. Call it when a password is set, never at sign-in (PASSWORD-1).
 * @throws {InvalidInputError} `password_short`, `password_long`, or `password_common`.
 */
export async function requireAllowedPassword(
  password: string,
  account: Owner & { two_factor_method: string | null },
  field = 'pass_hash',
): Promise<void> {
  const min = account.two_factor_method === null ? PASSWORD_MIN : PASSWORD_MIN_WITH_TWO_FACTOR;
  const length = [...password].length;
  if (length < min) throw passwordProblem(field, `A password needs at least ${min} characters.`, 'password_short');
  if (length > PASSWORD_MAX)
    throw passwordProblem(field, `A password can have up to ${PASSWORD_MAX} characters.`, 'password_long');
  common ??= loadCommon();
  if (isCommon(password, account, await common)) {
    throw passwordProblem(field, 'This password is too easy to guess. Choose another one.', 'password_common');
  }
}

/** True if a password is long enough without a second factor (PASSWORD-1). */
export function isLongEnoughAlone(password: string): boolean {
  return [...password].length >= PASSWORD_MIN;
}

export function passwordTooShort(field = 'pass_hash'): InvalidInputError {
  return passwordProblem(field, `A password needs at least ${PASSWORD_MIN} characters.`, 'password_short');
}

/** Words that anyone who knows this product would try first (PASSWORD-2). */
const PRODUCT_WORDS = (
  'case platform caseplatform parent parents intended surrogate surrogates surrogacy escrow specialist agency agencies ' +
  'manager owner admin administrator representative payment payments pregnancy baby babies birth family love welcome ' +
  'password passwort login secret change letmein my our the new test demo'
).split(' ');
/** Digits and signs that may surround such words without making them harder to guess, such as a year or an exclamation mark. */
const DECORATION_MAX = 8;

/** The length of a US phone number without its area code. */
const PHONE_PART_MIN = 7;

/** The person who sets the password; their name, address, and phone number count as common (PASSWORD-2). */
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
  // "parentparent" is as easy to guess as "parent".
  const unit = /^(.+?)\1+$/su.exec(plain)?.[1];
  if (unit !== undefined && [...unit].length < PASSWORD_MIN_WITH_TWO_FACTOR) return true;
  // "password1234" and "aaaaaaaaaaaa" are as easy to guess as "password" and "a".
  const stem = plain.replace(/[\d\W_]+$/, '');
  if (common.has(plain) || (stem.length >= 4 && common.has(stem)) || new Set(plain).size < 4) return true;
  const rest = withoutPhone(plain, owner.phone ?? '');
  const letters = rest.replaceAll(/[^\p{L}]+/gu, '');
  const beside = [...rest].length - [...letters].length;
  if (beside > DECORATION_MAX) return false;
  return isMadeOf(letters, [...PRODUCT_WORDS, ...wordsOf(owner)]) || (letters === '' && rest !== plain);
}

/** Removes the owner's phone number from a text, also without its first digits and in any spacing. */
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

function isMadeOf(text: string, words: readonly string[]): boolean {
  const ends = new Set([0]);
  for (let at = 0; at < text.length; at += 1) {
    if (!ends.has(at)) continue;
    for (const word of words) if (text.startsWith(word, at)) ends.add(at + word.length);
  }
  return text !== '' && ends.has(text.length);
}

function passwordProblem(field: string, message: string, code: string): InvalidInputError {
  return new InvalidInputError([{ field, message }], code);
}
