import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestartBudget } from './restart-budget.mjs';

test('there are five restarts a minute, each after a longer wait, and no sixth', () => {
  const budget = new RestartBudget();
  const delays = [0, 1000, 2000, 3000, 4000, 5000].map((now) => budget.next(now));
  assert.deepEqual(delays, [250, 500, 1000, 2000, 4000, null]);
});

test('starts older than a minute are forgotten', () => {
  const budget = new RestartBudget();
  for (const now of [0, 1000, 2000, 3000, 4000]) budget.next(now);
  assert.equal(budget.next(65_000), 250);
});
