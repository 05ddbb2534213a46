import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DisbursementStatus } from '../disbursement-states.ts';
import { expectedBankDate } from './expected-bank-date.ts';

test('[WHERE-4] the expected bank date respects the cutoff, weekends, and Federal Reserve holidays', () => {
  const cases: [string, string][] = [
    // A Friday, 13:59 and 14:00 in New York.
    ['2026-11-20T18:59:00Z', '2026-11-23'],
    ['2026-11-20T19:00:00Z', '2026-11-24'],
    // The Wednesday before Thanksgiving.
    ['2026-11-25T15:00:00Z', '2026-11-27'],
    ['2026-11-25T20:00:00Z', '2026-11-30'],
    // A Saturday.
    ['2026-11-21T12:00:00Z', '2026-11-24'],
  ];
  for (const [now, day] of cases) {
    assert.equal(expectedBankDate({ status: 'approved', bank_date: null }, new Date(now)), day, now);
    assert.equal(expectedBankDate({ status: 'submitted', bank_date: null }, new Date(now)), day, now);
  }
});

test('[WHERE-4] an account that cannot be used yet moves the expected day', () => {
  const now = new Date('2026-11-20T18:00:00Z');
  const at = (usable_from: Date | null) => expectedBankDate({ status: 'approved', bank_date: null, usable_from }, now);
  assert.equal(at(new Date('2026-11-24T15:00:00Z')), '2026-11-25');
  assert.equal(at(new Date('2026-11-19T15:00:00Z')), '2026-11-23');
  assert.equal(at(null), '2026-11-23');
});

test('[WHERE-4] a request in a batch has the day of the batch, and a request that is not under way has none', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const at = (status: DisbursementStatus) => expectedBankDate({ status, bank_date: '2026-12-01' }, now);
  assert.equal(at('batched'), '2026-12-01');
  assert.equal(at('paid'), '2026-12-01');
  for (const status of ['draft', 'denied', 'returned', 'cancelled', 'ended'] as const) assert.equal(at(status), null, status);
});
