import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortfallWords } from './shortfall.ts';

test('[PROJECTION-2] a shortfall names the deposit that covers the plan, and the month in which money runs out', () => {
  assert.equal(shortfallWords({ month: '2027-03', missing_cents: 368_665 }), 'Short by $3,686.65 from March 2027 on');
});
