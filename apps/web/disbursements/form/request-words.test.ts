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
