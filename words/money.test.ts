import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuzzing } from '../test/support/hostile/fuzzing.ts';
import { CENTS_MAX } from './limits.ts';
import { CASH_KINDS, cashKindInWords, dollarsField, moneyWords, readDollars, signedMoneyWords } from './money.ts';

test('[API-4] amounts as people write them become whole cents', () => {
  const typed = {
    '1': 100,
    '0.01': 1,
    '.5': 50,
    '$.05': 5,
    ' 19.99 ': 1999,
    '1,234.5': 123_450,
    '$ 500': 50_000,
    '0000000000000000000012': 1200,
    '1,234,567.89': 123_456_789,
    '99,999,999.99': CENTS_MAX,
    '１，２３４．５': 123_450,
    '\u200B$5\u202C': 500,
  };
  for (const [text, cents] of Object.entries(typed)) assert.equal(readDollars(text), cents, text);
});

test('[REQUEST-3] text that is not a possible amount is rejected', () => {
  const nothing = ['', ' ', '-1', '0', '0.00', '0.001', '1e3', '1,23', '12,34.5', '1.234,50', '12.', '$', 'ten', '١', '5²', '½'];
  const tooMuch = ['100,000,000.00', '100000000', '999999999999999', '9'.repeat(400), '9,007,199,254,740,993'];
  for (const text of [...nothing, ...tooMuch]) assert.equal(readDollars(text), null, text);
});

test('[API-4] cents are shown as an amount with its currency', () => {
  assert.deepEqual(
    [1, 120_000, CENTS_MAX].map((cents) => moneyWords(cents)),
    ['$0.01', '$1,200.00', '$99,999,999.99'],
  );
  assert.deepEqual(
    [0, 5, 50, 100, 99_999, 100_000, 123_456_789].map((cents) => dollarsField(cents)),
    ['0.00', '0.05', '0.50', '1.00', '999.99', '1,000.00', '1,234,567.89'],
  );
  assert.deepEqual(
    [-450_000, -1, 0, 1, 41_236].map((cents) => signedMoneyWords(cents)),
    ['−$4,500.00', '−$0.01', '$0.00', '+$0.01', '+$412.36'],
  );
  assert.deepEqual(CASH_KINDS.map(cashKindInWords), ['Deposit', 'Refund', 'Payment', 'Returned payment']);
});

test('a written amount can be read back, in a field and in a sentence', () => {
  const cents = fc.oneof(fc.integer({ min: 1, max: CENTS_MAX }), fc.integer({ min: 1, max: 100_000 }));
  fc.assert(
    fc.property(cents, (amount) => {
      assert.equal(readDollars(dollarsField(amount)), amount);
      assert.equal(readDollars(moneyWords(amount)), amount);
      assert.equal(readDollars(dollarsField(amount).replaceAll(',', '')), amount);
    }),
    fuzzing(2000),
  );
});

test('any text that is accepted is a possible amount, and stays the same when it is written again', () => {
  const text = fc.stringMatching(/^\$?\s?[\d,]{0,16}(\.\d{0,3})?$/);
  fc.assert(
    fc.property(text, (written) => {
      const cents = readDollars(written);
      if (cents === null) return;
      assert.ok(Number.isSafeInteger(cents) && cents >= 1 && cents <= CENTS_MAX, written);
      assert.equal(readDollars(dollarsField(cents)), cents);
    }),
    fuzzing(2000),
  );
});

test('amounts in other languages can be read back, and only in the notation of that language', () => {
  const locales = fc.constantFrom('en-GB', 'de-DE', 'es-ES', 'es-US', 'fr-FR', 'pt-BR', 'sv-SE', 'zh-CN');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: CENTS_MAX }), locales, (amount, locale) => {
      assert.equal(readDollars(dollarsField(amount, locale), locale), amount, locale);
      assert.equal(readDollars(moneyWords(amount, locale), locale), amount, `${locale} ${moneyWords(amount, locale)}`);
    }),
    fuzzing(2000),
  );
  assert.equal(readDollars('1.234,50', 'de-DE'), 123_450);
  assert.equal(readDollars('1 234,50 $', 'fr-FR'), 123_450);
  for (const text of ['1,234.50', '12.34']) assert.equal(readDollars(text, 'de-DE'), null, text);
});
