import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDollars } from './read-dollars.ts';

for (const [text, cents] of [
  ['', null],
  ['0', 0],
  ['1', 100],
  ['1,250', 125_000],
  ['$ 99.5', 9950],
  ['1,234,567.89', 123_456_789],
] as const) {
  test(`"${text}" is ${cents} cents`, () => assert.equal(readDollars('amount', text), cents));
}

for (const text of ['-1', '0.001', '1e3', '1,2', '12,34.5', 'ten', '1.', '9'.repeat(16)]) {
  test(`"${text}" is no amount`, () => assert.throws(() => readDollars('amount', text), /Write the amount in dollars/));
}
