import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dollarsField, readDollars } from './read-dollars.ts';

test('[decisions 3] amounts as people type them become whole cents', () => {
  const typed = { '1': 100, '0.01': 1, '.5': 50, '$.05': 5, ' 19.99 ': 1999, '1,234.5': 123_450, '$ 500': 50_000 };
  for (const [text, cents] of Object.entries(typed)) assert.equal(readDollars(text), cents, text);
});

test('[decisions 8] what a request may not ask for is no amount', () => {
  for (const text of ['', '-1', '0', '0.00', '0.001', '1e3', '1,23', '1.234,50', '12.', 'ten', '100,000,000.00', '١'])
    assert.equal(readDollars(text), null, text);
  assert.equal(readDollars('99,999,999.99'), 9_999_999_999);
});

test('every amount survives being shown in its field and read again', () => {
  for (const cents of [1, 10, 99, 100, 12_345, 100_000, 123_456_789, 9_999_999_999])
    assert.equal(readDollars(dollarsField(cents)), cents);
  assert.equal(dollarsField(123_450), '1,234.50');
});
