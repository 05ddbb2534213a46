import { numberFormat, readerLocale } from './formats.ts';

/** A number for people: "1,234". */
export function numberWords(count: number, locale: string = readerLocale()): string {
  return numberFormat(locale).format(count);
}

/** "1 message", "3 messages", "1,200 messages". */
export function counted(count: number, one: string, many = `${one}s`, locale: string = readerLocale()): string {
  return `${numberWords(count, locale)} ${count === 1 ? one : many}`;
}
