import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitParts } from './limit-parts.ts';

const LIMIT = { category: 'Childcare', period: 'month', cap_cents: 400_00, used_cents: 100_00, held_cents: 50_00 } as const;
const parts = (amount: number, over_by_cents = 0, more: object = {}) =>
  limitParts({ ...LIMIT, left_cents: 250_00, over_by_cents, ...more }, amount);

test('[CONTRACT-2] the bar of a limit shows what is used, what is requested, and this request', () => {
  assert.deepEqual(parts(100_00), {
    used: 0.25,
    requested: 0.125,
    thisOne: 0.25,
    limit: 1,
    isOver: false,
    words: '$150.00 of $400.00 this month left after this',
  });
  assert.equal(parts(250_00, 0, { period: 'case' }).words, '$0.00 of $400.00 left after this');
});

test('[CONTRACT-4] a request over its limit ends the bar after the limit, and no part is wider than the bar', () => {
  const { used, requested, thisOne, limit, isOver, words } = parts(650_00, 400_00);
  assert.deepEqual([used, requested, thisOne, limit, isOver], [0.125, 0.0625, 0.8125, 0.5, true]);
  assert.equal(words, '$400.00 over the limit of $400.00 this month');
  const empty = parts(0, 0, { cap_cents: 0, used_cents: 0, held_cents: 0 });
  assert.deepEqual([empty.used, empty.thisOne, empty.limit], [0, 0, 0], 'a limit of nothing divides by nothing');
});
