import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLocale } from './reader-locale.ts';

test('[LOCALE-1] the locale is the first one that a browser prefers and that dates can be written in', () => {
  const rows: [header: string | undefined, locale: string][] = [
    ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
    ['en-gb', 'en-GB'],
    ['es-MX;q=0.4, fr-CA;q=0.7', 'fr-CA'],
    ['de', 'de'],
    ['zh-Hant-TW', 'zh-Hant-TW'],
    ['es-419', 'es-419'],
    ['en', 'en-US'],
    ['xx-YY, pt-BR;q=0.5', 'pt-BR'],
    ['de-DE;q=0, sv-SE;q=0.1', 'sv-SE'],
    ['de-DE;q=0', 'en-US'],
    ['de-DE-u-ca-buddhist-nu-thai, en-GB;q=0.2', 'en-GB'],
    ...[undefined, '', '*', ',', 'x'.repeat(5000), '__proto__', 'de_DE', '-', ';q=1', 'en-US'].map(
      (header): (typeof rows)[number] => [header, 'en-US'],
    ),
  ];
  for (const [header, locale] of rows) assert.equal(parseLocale(header), locale, header ?? 'none');
});
