import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonPeriods, periodQuery } from './period.ts';

test('[decisions 14] the common periods follow the bank’s calendar', () => {
  // Still the year before in New York.
  assert.deepEqual(
    commonPeriods(new Date('2027-01-01T03:00:00Z')).map(({ from, to }) => [from, to]),
    [
      ['2026-12-01', '2026-12-31'],
      ['2026-11-01', '2026-11-30'],
      ['2026-01-01', '2026-12-31'],
      ['2025-01-01', '2025-12-31'],
    ],
  );
});

test('[decisions 14] an address without a period asks for none', () => {
  assert.equal(periodQuery({}), '');
  assert.equal(periodQuery({ from: '', to: '2026-01-01', other: 'x' }), '?to=2026-01-01');
  assert.equal(periodQuery({ from: ['2026-01-01', '2026-01-02'] }), '');
});
