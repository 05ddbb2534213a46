import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLACE_NAMES } from '@case-platform/words/whereabouts';
import fc from 'fast-check';
import { DISBURSEMENT_STATUSES } from '../disbursement-states.ts';
import { batchDay } from './expected-bank-date.ts';
import { type DraftAgain, type PaymentPlaceFacts, waitingFor, whereabouts } from './whereabouts.ts';

/** A Friday at 13:00 in New York. */
const NOW = new Date('2026-11-20T18:00:00Z');
const SUBMITTED: PaymentPlaceFacts = {
  status: 'submitted',
  status_since: NOW,
  draft_again_because: null,
  submitted_by: { name: 'Sarah Lindgren' },
  approver: { name: 'Paige Whitlock' },
  payee: { name: 'Sarah Lindgren' },
  return: null,
  decision_reason: null,
  bank_has_it: false,
  bank_date: null,
  usable_from: null,
  problem: null,
  lacks_account: false,
  has_no_date: false,
  promised: null,
};

/** A row per state and hold: state, label, holder, date, next step. */
const TABLE: [Partial<PaymentPlaceFacts>, string][] = [
  [{ status: 'draft' }, 'draft | Draft | Sarah Lindgren | - | submit by maker'],
  [
    { status: 'draft', draft_again_because: 'bank_account_changed' },
    'send_again | Send again | Sarah Lindgren | - | submit by maker',
  ],
  [{}, 'waiting_for_approval | Waiting for approval | Paige Whitlock | 2026-11-23 | approve by approver'],
  [{ approver: null }, 'waiting_for_approval | Waiting for approval | our staff | 2026-11-23 | approve by approver'],
  [
    { usable_from: new Date('2026-11-22T18:00:00Z') },
    'waiting_for_approval | Waiting for approval | Paige Whitlock | 2026-11-24 | approve by approver',
  ],
  [{ has_no_date: true }, 'waiting_for_approval | Waiting for approval | Paige Whitlock | - | approve by approver'],
  [{ status: 'approved' }, 'approved | Approved | our payments team | 2026-11-23 | send by payments_team'],
  [
    { status: 'approved', problem: 'It waits.', usable_from: new Date('2026-11-25T20:00:00Z') },
    'on_hold | Approved, on hold | our payments team | 2026-11-30 | -',
  ],
  [
    { status: 'approved', problem: 'Another account is needed.', has_no_date: true },
    'on_hold | Approved, on hold | our payments team | - | -',
  ],
  [{ status: 'batched' }, 'being_sent | Being sent | our payments team | 2026-11-23 | confirm by payments_team'],
  [
    { status: 'batched', bank_date: '2026-11-24' },
    'being_sent | Being sent | our payments team | 2026-11-24 | confirm by payments_team',
  ],
  [
    { status: 'batched', bank_date: '2026-11-24', bank_has_it: true },
    'at_the_bank | At the bank | the bank | 2026-11-24 | settle by payments_team',
  ],
  [{ status: 'paid', bank_date: '2026-11-19' }, 'paid | Paid | - | 2026-11-19 | -'],
  [
    { status: 'returned', return: { who_acts: 'staff', reason: 'No funds.' } },
    'returned | Sent back by the bank | the escrow specialist | - | pay_again by escrow_specialist',
  ],
  [
    { status: 'returned', return: { who_acts: 'payee', reason: 'Closed.' } },
    'returned | Sent back by the bank | Sarah Lindgren | - | add_account by payee',
  ],
  [{ status: 'denied' }, 'denied | Denied | - | - | -'],
  [{ status: 'cancelled' }, 'cancelled | Cancelled | - | - | -'],
  [{ status: 'ended' }, 'ended | Ended | - | - | -'],
];

for (const [facts, expected] of TABLE) {
  test(`[WHERE-1] where a payment is: ${JSON.stringify(facts)}`, () => {
    const { state, label, holder, arrives, action } = whereabouts({ ...SUBMITTED, ...facts }, NOW);
    const next = action === null ? '-' : `${action.kind} by ${action.by}`;
    assert.equal([state, label, holder ?? '-', arrives?.date ?? '-', next].join(' | '), expected);
  });
}

test('[WHERE-1] the table covers every state', () => {
  const states = new Set(TABLE.map(([facts]) => whereabouts({ ...SUBMITTED, ...facts }, NOW).state));
  assert.deepEqual([...states].toSorted(), PLACE_NAMES.toSorted());
});

test('[WHERE-1, WHERE-4] a date names its condition, a late file shows the earlier date, and a stop its reason', () => {
  const where = (facts: Partial<PaymentPlaceFacts>) => whereabouts({ ...SUBMITTED, ...facts }, NOW);
  assert.equal(where({}).arrives?.if, 'Paige Whitlock approves it by 2 PM in New York on November 20, 2026');
  const lacks_account = true;
  assert.equal(
    where({ lacks_account, approver: null }).arrives?.if,
    'our staff approve it and Sarah Lindgren adds a bank account by 2 PM in New York on November 20, 2026',
  );
  assert.match(where({ lacks_account, status: 'approved' }).arrives?.if ?? '', /^Sarah Lindgren adds a bank account by 2 PM/);
  assert.equal(where({ status: 'approved' }).arrives?.if, null);
  const late = where({ status: 'batched', bank_date: '2026-11-18' });
  assert.deepEqual(
    [late.arrives?.date, late.was, late.why],
    ['2026-11-23', '2026-11-18', 'The bank didn’t get the file in time.'],
  );
  assert.equal(where({ status: 'batched', bank_date: '2026-11-18', bank_has_it: true }).was, null);
  assert.equal(where({ status: 'approved', problem: 'It waits.' }).why, 'It waits.');
  const again = (draft_again_because: DraftAgain) => where({ status: 'draft', draft_again_because }).why ?? '';
  assert.match(again('bank_account_changed'), /bank account changed after the approval/);
  assert.match(again('changed'), /^It was changed after it was sent/);
  assert.equal(where({ status: 'draft' }).why, null);
  assert.equal(where({ status: 'denied', decision_reason: 'Not agreed.' }).why, 'Not agreed.');
});

test('[REQUEST-14] a request says in one line what it waits for, until it ends', () => {
  const line = (facts: Partial<PaymentPlaceFacts>) => waitingFor(whereabouts({ ...SUBMITTED, ...facts }, NOW));
  const since = 'since November 20, 2026';
  assert.equal(line({ status: 'draft' }), `Waiting for Sarah Lindgren to send it, ${since}`);
  assert.equal(
    line({ status: 'draft', draft_again_because: 'changed' }),
    `Waiting for Sarah Lindgren to send it again, ${since}`,
  );
  assert.equal(line({}), `Waiting for Paige Whitlock to approve it, ${since}`);
  assert.equal(line({ approver: null }), `Waiting for our staff to approve it, ${since}`);
  const toTheBank = `Waiting for our payments team to send it to the bank, ${since}`;
  assert.deepEqual([line({ status: 'approved' }), line({ status: 'approved', problem: 'It waits.' })], [toTheBank, toTheBank]);
  assert.equal(line({ status: 'batched' }), toTheBank);
  assert.equal(line({ status: 'batched', bank_has_it: true }), `Waiting for the bank to pay it, ${since}`);
  const back = (who_acts: 'payee' | 'staff') => line({ status: 'returned', return: { who_acts, reason: '' } });
  assert.equal(back('staff'), `Waiting for the escrow specialist to pay it again, ${since}`);
  assert.equal(back('payee'), `Waiting for Sarah Lindgren to help us pay it again, ${since}`);
  const ended = DISBURSEMENT_STATUSES.filter((status) => line({ status }) === null);
  assert.deepEqual(ended, ['denied', 'paid', 'cancelled', 'ended']);
});

test('[WHERE-2, WHERE-4] only the bank’s file is "At the bank", and approval moves no date', () => {
  const time = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true });
  const facts = fc.record({
    status: fc.constantFrom(...DISBURSEMENT_STATUSES),
    bank_has_it: fc.boolean(),
    bank_date: fc.option(fc.constantFrom('2026-03-02', '2027-06-01')),
    usable_from: fc.option(time),
    problem: fc.option(fc.constant('It waits.')),
  });
  fc.assert(
    fc.property(facts, time, (some, now) => {
      const all = { ...SUBMITTED, ...some };
      const { label, arrives } = whereabouts(all, now);
      assert.equal(label === 'At the bank', some.status === 'batched' && some.bank_has_it);
      if (some.status !== 'submitted' && some.status !== 'approved') return;
      assert.ok(arrives !== null && arrives.date > batchDay(some.usable_from, now));
      const other = some.status === 'submitted' ? 'approved' : 'submitted';
      assert.equal(whereabouts({ ...all, status: other }, now).arrives?.date, arrives.date);
    }),
  );
});
