import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Benefit } from '../../api/api-shapes.ts';
import { findBenefit, whatIsLeft } from './find-benefit.ts';

const travel: Benefit = {
  ...{ category: 'Travel', cap_cents: 100_000, period: 'case', note: '' },
  ...{ used_cents: 75_000, held_cents: 0, left_cents: 25_000 },
};

test('[decisions 14] what is left is said while category and amount are typed', () => {
  assert.equal(findBenefit([travel], ' TRAVEL '), travel);
  assert.equal(findBenefit([travel], 'Food'), undefined);
  assert.equal(whatIsLeft(undefined, '10'), null);
  const cases: [amount: string, words: RegExp, isOver: boolean][] = [
    ['', /^Travel: \$250\.00 left\.$/, false],
    ['much', /^Travel: \$250\.00 left\.$/, false],
    ['200', /^Travel: \$250\.00 left, \$50\.00 after this request\.$/, false],
    ['250', /\$0\.00 after/, false],
    ['300', /This goes \$50\.00 over, so the approver has to say why\.$/, true],
  ];
  for (const [amount, words, isOver] of cases) {
    const said = whatIsLeft(travel, amount);
    assert.match(said?.words ?? '', words);
    assert.equal(said?.isOver, isOver);
  }
  assert.match(whatIsLeft({ ...travel, period: 'month' }, '')?.words ?? '', /left this month/);
  const spent = { ...travel, held_cents: 30_000, left_cents: 0 };
  assert.match(whatIsLeft(spent, '1')?.words ?? '', /^Travel: nothing left\. This goes \$1\.00 over/);
});
