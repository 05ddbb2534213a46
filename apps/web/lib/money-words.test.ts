import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneyWords } from './money-words.ts';

test('[decisions 3] cents are shown as an amount with its currency', () => {
  assert.deepEqual([1, 120_000, 9_999_999_999].map(moneyWords), ['$0.01', '$1,200.00', '$99,999,999.99']);
});
