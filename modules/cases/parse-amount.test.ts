import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAmount } from './parse-amount.ts';

test('[REQUEST-3] an amount is whole cents from 1 to 9,999,999,999, for everyone', () => {
  for (const cents of [1, 9_999_999_999]) assert.equal(parseAmount('amount_cents', cents), cents);
  for (const cents of [0, -1, 10_000_000_000, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => parseAmount('amount_cents', cents), { name: 'InvalidInputError' }, String(cents));
});
