import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payee } from '../../api/api-shapes.ts';
import { outlookWords, sendWords } from './request-words.ts';

const SARAH: Payee = {
  user_type: 'surrogate',
  user_id: 7,
  name: 'Sarah Lindgren',
  approver: { user_type: 'intended_parent', user_id: 4, name: 'Paige Whitlock' },
  arrives: { date: '2026-11-30', if: null },
  decide_by: '2026-11-27T19:00:00Z',
  needs_account: false,
  why: null,
};
const CLOCK = { zone: 'America/Los_Angeles', now: '2026-11-26T20:00:00Z' };
const words = (
  payee: Partial<Payee>,
  more: { amount?: string; available_cents?: number | null; me?: number; now?: string } = {},
) => {
  const { amount = '300', available_cents = null, me = 7, now = CLOCK.now } = more;
  return outlookWords({ payee: { ...SARAH, ...payee }, amount, available_cents, me }, { ...CLOCK, now });
};

test('[REQUEST-20] the form says who decides, and when the money arrives if they decide in time, in the reader’s zone', () => {
  assert.equal(words({}), 'Paige Whitlock decides. Arrives Mon, Nov 30 if it’s approved by 11 AM tomorrow.');
  assert.equal(
    words({ approver: null, decide_by: '2026-11-30T19:30:00Z' }, {}),
    'Our team decides. Arrives Mon, Nov 30 if it’s approved by 11:30 AM on Mon, Nov 30.',
  );
  assert.equal(
    words({ needs_account: true }),
    'Paige Whitlock decides. Arrives Mon, Nov 30 if it’s approved and you add a bank account by 11 AM tomorrow.',
  );
  const inTokyo = outlookWords({ payee: SARAH, amount: '300', available_cents: null, me: 7 }, { ...CLOCK, zone: 'Asia/Tokyo' });
  assert.equal(inTokyo, 'Paige Whitlock decides. Arrives Mon, Nov 30 if it’s approved by 4 AM tomorrow.');
  assert.match(words({ needs_account: true }, { me: 4 }) ?? '', /approved and Sarah Lindgren adds a bank account by/);
  assert.equal(outlookWords({ payee: undefined, amount: '', available_cents: null, me: 7 }, CLOCK), null);
});

test('[REQUEST-20] the day of the deadline is the one in the reader’s zone, on either side of midnight there', () => {
  const rows: [zone: string, decide_by: string, now: string, by: string][] = [
    ['Australia/Sydney', '2026-11-27T19:00:00Z', '2026-11-27T12:59:59Z', '6 AM tomorrow'],
    ['Australia/Sydney', '2026-11-27T19:00:00Z', '2026-11-27T13:00:00Z', '6 AM today'],
    ['Australia/Sydney', '2026-11-27T12:59:00Z', '2026-11-27T12:00:00Z', '11:59 PM today'],
    ['Australia/Sydney', '2026-11-30T19:30:00Z', '2026-11-26T12:00:00Z', '6:30 AM on Tue, Dec 1'],
    ['Australia/Sydney', '2026-12-31T19:00:00Z', '2026-12-29T12:00:00Z', '6 AM on Jan 1, 2027'],
    ['Asia/Tokyo', '2026-11-27T15:00:00Z', '2026-11-27T14:59:59Z', '12 AM tomorrow'],
    ['Asia/Tokyo', '2026-11-27T15:30:00Z', '2026-11-27T15:00:00Z', '12:30 AM today'],
    ['Asia/Tokyo', '2026-11-27T14:59:00Z', '2026-11-26T15:00:00Z', '11:59 PM today'],
    ['Asia/Kolkata', '2026-11-27T19:00:00Z', '2026-11-27T18:29:59Z', '12:30 AM tomorrow'],
    ['Asia/Kolkata', '2026-11-27T19:00:00Z', '2026-11-27T18:30:00Z', '12:30 AM today'],
    ['Asia/Kolkata', '2026-11-27T18:29:00Z', '2026-11-27T18:00:00Z', '11:59 PM today'],
    ['Pacific/Honolulu', '2026-11-28T01:00:00Z', '2026-11-27T09:59:59Z', '3 PM tomorrow'],
    ['Pacific/Honolulu', '2026-11-28T01:00:00Z', '2026-11-27T10:00:00Z', '3 PM today'],
    ['Pacific/Honolulu', '2026-12-01T09:59:00Z', '2026-11-27T10:00:00Z', '11:59 PM on Mon, Nov 30'],
    ['America/New_York', '2026-11-28T04:59:00Z', '2026-11-27T04:59:59Z', '11:59 PM tomorrow'],
    ['America/New_York', '2026-11-28T01:00:00Z', '2026-11-28T00:59:59Z', '8 PM today'],
    ['UTC', '2026-11-28T00:00:00Z', '2026-11-27T23:59:59Z', '12 AM tomorrow'],
  ];
  for (const [zone, decide_by, now, by] of rows)
    assert.equal(
      outlookWords({ payee: { ...SARAH, decide_by }, amount: '300', available_cents: null, me: 7 }, { zone, now }),
      `Paige Whitlock decides. Arrives Mon, Nov 30 if it’s approved by ${by}.`,
      `${zone} at ${now}`,
    );
});

test('[REQUEST-20] the day of arrival has its year unless it is the reader’s own', () => {
  const arrives = { date: '2027-01-04', if: null };
  const arrival = (zone: string) =>
    outlookWords(
      { payee: { ...SARAH, arrives, decide_by: '2026-12-31T22:00:00Z' }, amount: '', available_cents: null, me: 7 },
      { zone, now: '2026-12-31T14:00:00Z' },
    );
  assert.equal(arrival('Australia/Sydney'), 'Paige Whitlock decides. Arrives Mon, Jan 4 if it’s approved by 9 AM today.');
  assert.equal(arrival('Pacific/Honolulu'), 'Paige Whitlock decides. Arrives Jan 4, 2027 if it’s approved by 12 PM today.');
});

test('[REQUEST-20, FUNDS-3] the form shows no date that cannot be kept', () => {
  const none = 'Paige Whitlock decides.';
  assert.equal(words({ arrives: null, decide_by: null }), none);
  assert.equal(words({}, { now: '2026-11-27T19:00:00Z' }), none, 'the deadline has passed while the page was open');
  assert.equal(
    words({ arrives: null, decide_by: null, why: 'Another account is needed.' }),
    `${none} Another account is needed.`,
  );
  const short = `${none} The case has $299.99 available, so it can be approved after a deposit.`;
  assert.equal(words({}, { available_cents: 29_999 }), short);
  assert.match(words({}, { available_cents: 30_000 }) ?? '', /Arrives/);
  assert.match(words({}, { available_cents: -1 }) ?? '', /has \$0\.00 available/);
});

test('[REQUEST-20] the button names the amount and the approver', () => {
  const button = (amount: string, payee: Payee | undefined) => sendWords(amount, payee);
  assert.deepEqual(
    [
      button('300', SARAH),
      button('', SARAH),
      button('1,0.5', SARAH),
      button('0.5', { ...SARAH, approver: null }),
      button('5', undefined),
    ],
    ['Send $300.00 to Paige', 'Send to Paige', 'Send to Paige', 'Send $0.50 for approval', 'Send $5.00 for approval'],
  );
});
