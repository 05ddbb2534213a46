import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '../disbursement-states.ts';
import { expectedBankDate } from './expected-bank-date.ts';
import { waitingFor } from './waiting-for.ts';

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

test('[REQUEST-14] a request says in one line what it waits for, until it ends', () => {
  const payee = { name: 'Sarah Lindgren' };
  const line = (
    status: DisbursementStatus,
    approver: { name: string } | null = { name: 'Paige Whitlock' },
    who_acts: 'payee' | 'staff' = 'staff',
    bank_has_it = false,
  ) =>
    waitingFor({
      status,
      status_since: new Date('2026-11-20T23:00:00Z'),
      submitted_by: { name: 'Sarah Lindgren' },
      approver,
      payee,
      return: status === 'returned' ? { who_acts } : null,
      bank_has_it,
    });
  assert.equal(line('draft'), 'Waiting for Sarah Lindgren to send it, since November 20, 2026');
  assert.equal(line('submitted'), 'Waiting for Paige Whitlock to approve it, since November 20, 2026');
  assert.equal(line('submitted', null), 'Waiting for our staff to approve it, since November 20, 2026');
  assert.equal(line('batched'), 'Waiting for our payments team to send it to the bank, since November 20, 2026');
  assert.equal(line('batched', null, 'staff', true), 'Waiting for the bank to pay it, since November 20, 2026');
  assert.equal(line('returned'), 'Waiting for the escrow specialist to pay it again, since November 20, 2026');
  assert.equal(line('returned', null, 'payee'), 'Waiting for Sarah Lindgren to help us pay it again, since November 20, 2026');
  const ended = DISBURSEMENT_STATUSES.filter((status) => line(status) === null);
  assert.deepEqual(ended, ['denied', 'paid', 'cancelled', 'ended']);
});
