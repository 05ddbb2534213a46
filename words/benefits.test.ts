import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capWords, findBenefit, leftWords, requestBenefitWords, useWords, whatIsLeft } from './benefits.ts';

const use = { cap_cents: 100_000, period: 'case', used_cents: 75_000, held_cents: 0 } as const;

test('[CONTRACT-2, CONTRACT-3] a contract limit in words: what it allows, what is used and requested, what is left, and how far a request exceeds it', () => {
  assert.equal(capWords(use), '$1,000.00 over the whole case');
  assert.equal(capWords({ ...use, period: 'month' }), '$1,000.00 a month');
  assert.equal(useWords(use), '$750.00 of $1,000.00 used');
  assert.equal(
    useWords({ ...use, period: 'month', held_cents: 10_000 }),
    '$750.00 of $1,000.00 used, $100.00 more requested this month',
  );
  assert.equal(leftWords({ ...use, held_cents: 5_000 }), '$200.00 left');
  assert.equal(leftWords({ ...use, held_cents: 30_000 }), '$50.00 over');
  assert.equal(leftWords({ ...use, held_cents: 25_000 }), '$0.00 left');
  assert.equal(leftWords({ ...use, held_cents: 25_001 }), '$0.01 over');
  const over = { ...use, left_cents: 25_000, over_by_cents: 5_000 };
  assert.equal(requestBenefitWords(over), '$750.00 of $1,000.00 used; this goes $50.00 over');
  assert.equal(requestBenefitWords({ ...over, over_by_cents: 0 }), '$750.00 of $1,000.00 used before this, $250.00 left');
});

const travel = {
  category: 'Travel',
  cap_cents: 100_000,
  period: 'case' as const,
  used_cents: 75_000,
  held_cents: 0,
  left_cents: 25_000,
};

test('[CONTRACT-3] what is left is shown while category and amount are typed', () => {
  assert.equal(findBenefit([travel], ' TRAVEL '), travel);
  assert.equal(findBenefit([travel], 'Food'), undefined);
  assert.equal(whatIsLeft([travel], { category: ' ', amount: '10' }), null);
  const other = { words: 'No contract limit covers Other.', isOver: false };
  assert.deepEqual(whatIsLeft([travel], { category: 'Other', amount: '10' }), other);
  const cases: [amount: string, words: RegExp, isOver: boolean][] = [
    ['', /^Travel: \$250\.00 left\.$/, false],
    ['much', /^Travel: \$250\.00 left\.$/, false],
    ['200', /^Travel: \$250\.00 left, \$50\.00 after this request\.$/, false],
    ['250', /\$0\.00 after/, false],
    ['250.01', /This goes \$0\.01 over/, true],
    ['300', /This goes \$50\.00 over, so the approver has to say why\.$/, true],
  ];
  for (const [amount, words, isOver] of cases) {
    const said = whatIsLeft([travel], { category: 'Travel', amount });
    assert.match(said?.words ?? '', words);
    assert.equal(said?.isOver, isOver);
  }
  assert.match(whatIsLeft([{ ...travel, period: 'month' }], { category: 'Travel', amount: '' })?.words ?? '', /left this month/);
  const spent = { ...travel, held_cents: 30_000, left_cents: 0 };
  assert.match(
    whatIsLeft([spent], { category: 'Travel', amount: '1' })?.words ?? '',
    /^Travel: nothing left\. This goes \$1\.00 over/,
  );
});
