import { numberWords } from './counts.ts';
import { numberFormat, readerLocale } from './formats.ts';
import { CENTS_MAX, STATEMENT_PDF_MAX } from './limits.ts';

/** The error beside the field of an amount. */
export const AMOUNT_IS_WRONG = `Enter an amount between ${moneyWords(1)} and ${moneyWords(CENTS_MAX)}.`;

/** A PDF never omits rows, so a long statement has none. */
export const PDF_IS_TOO_LONG = `A PDF shows up to ${numberWords(STATEMENT_PDF_MAX)} rows. Choose a shorter period, or the CSV file.`;

const AMOUNT = /^(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{1,2}))?$/;

export function isAmount(cents: number): boolean {
  return Number.isInteger(cents) && cents >= 1 && cents <= CENTS_MAX;
}

/**
 * Parses an amount as people write it ("1,234.5", "$500", ".50") into whole cents, digit by digit. Returns null for anything
 * else, such as an empty field, a third decimal place, zero, or more than the largest amount.
 */
export function readDollars(text: string, locale: string = readerLocale()): number | null {
  const [, dollars = '', decimals = ''] = AMOUNT.exec(toAmericanSigns(text, locale)) ?? [];
  if (dollars + decimals === '') return null;
  const cents = Number(dollars.replaceAll(',', '') + decimals.padEnd(2, '0'));
  return isAmount(cents) ? cents : null;
}

/** Whole cents as an input field shows them: 1,234.50. */
export function dollarsField(cents: number, locale: string = readerLocale()): string {
  const digits = String(cents).padStart(3, '0');
  const { group, decimal } = signsOf(locale);
  return `${digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, group)}${decimal}${digits.slice(-2)}`;
}

/** Cents for people: $1,234.50. */
export function moneyWords(cents: number, locale: string = readerLocale()): string {
  return numberFormat(locale, 'USD').format(cents / 100);
}

/** Cents with their sign, for a statement: +$412.36, −$4,500.00. */
export function signedMoneyWords(cents: number, locale: string = readerLocale()): string {
  const sign = cents < 0 ? '−' : cents > 0 ? '+' : '';
  return sign + moneyWords(Math.abs(cents), locale);
}

/**
 * Rewrites an amount with the separators of American English. Characters that are not separators of this language stay, and are
 * rejected later.
 */
function toAmericanSigns(text: string, locale: string): string {
  const { group, decimal, currency, isCurrencyLast } = signsOf(locale);
  let number = withPlainCharacters(text).trim().replaceAll(/\s/g, ' ');
  const sign = [currency, '$'].find((one) => (isCurrencyLast ? number.endsWith(one) : number.startsWith(one)));
  if (sign !== undefined) {
    number = isCurrencyLast ? number.slice(0, -sign.length).replace(/ $/, '') : number.slice(sign.length).replace(/^ /, '');
  }
  const american: Record<string, string> = {
    ',': '?',
    '.': '?',
    [/\s/.test(group) ? ' ' : group]: ',',
    [decimal]: '.',
  };
  return Array.from(number, (character) => american[character] ?? character).join('');
}

/** Drops characters that no one sees, and replaces the full-width characters of East Asian keyboards. Others may mean something. */
function withPlainCharacters(text: string): string {
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}+/gu, '');
  return visible.replaceAll(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

function signsOf(locale: string) {
  const parts = numberFormat(locale, 'USD').formatToParts(1_234_567.5);
  const find = (type: string, otherwise: string) => parts.find((part) => part.type === type)?.value ?? otherwise;
  const isCurrencyLast = parts.at(-1)?.type === 'currency';
  return { group: find('group', ','), decimal: find('decimal', '.'), currency: find('currency', '$'), isCurrencyLast };
}

/** The movements of a case's cash. */
export const CASH_KINDS = ['deposit', 'refund', 'payment', 'return'] as const;
export type CashKind = (typeof CASH_KINDS)[number];

const KINDS: Record<CashKind, string> = {
  deposit: 'Deposit',
  refund: 'Refund',
  payment: 'Payment',
  return: 'Returned payment',
};

export function cashKindInWords(kind: CashKind): string {
  return KINDS[kind];
}
