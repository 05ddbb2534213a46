import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduledPayment, ScheduledPaymentStatus } from '@case-platform/modules/cases';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { balanceLine, type CalendarPayment, paymentCalendar } from './case-money.ts';

const frameAt = (now: string, zone = 'UTC') => staffFrame({ permissions: [], now, zone });
const NOON = '2026-11-23T12:00:00Z';

let ids = 0;
const line = (category: string, due_date: string, status: ScheduledPaymentStatus = 'planned'): ScheduledPayment => {
  ids += 1;
  return {
    id: ids,
    case_id: 1,
    category,
    description: '',
    due_date,
    amount_cents: ids,
    status,
    payee: null,
    disbursement_id: null,
    paid_at: null,
  };
};
/** Each fold that is open: its category, how much of it is made, and what comes next. */
const foldsOf = (lines: ScheduledPayment[], now = NOON, zone = 'UTC') =>
  [
    ...tightMarkup(paymentCalendar(frameAt(now, zone), lines)).matchAll(
      /<span class="fold-name">([^<]+)<\/span><span class="fold-note">([^<]+)<\/span>(?:<span class="fold-end">(.*?)<\/span><\/summary>)?/gs,
    ),
  ].map(([, name, note, end]) =>
    [
      name,
      note,
      (end ?? '')
        .replaceAll(/<span class="sr-only">[^<]*<\/span>|<[^>]+>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]
      .join(' | ')
      .replaceAll(/\$\S+/g, '$'),
  );

test('[PLAN-1] a calendar begins with what is due next, and payments of one day keep the calendar’s order', () => {
  const lines = [
    line('rent', '2026-12-01', 'paid'),
    line('clothing', '2026-12-01'),
    line('food', '2026-12-01', 'requested'),
    line('rent', '2026-12-05'),
    line('travel', '2026-11-30'),
    line('rent', '2027-01-05', 'cancelled'),
  ];
  assert.deepEqual(foldsOf(lines), [
    'Travel | 0 of 1 payment made | Next $ · Mon, Nov 30',
    'Clothing | 0 of 1 payment made | Next $ · Tue, Dec 1',
    'Food | 0 of 1 payment made | Next $ · Tue, Dec 1',
    'Rent | 1 of 2 payments made | Next $ · Sat, Dec 5',
  ]);
});

test('[PLAN-1] finished payments come last, and are folded together once there are two', () => {
  const one = [line('rent', '2026-12-01', 'paid'), line('travel', '2026-12-01')];
  assert.deepEqual(foldsOf(one), ['Travel | 0 of 1 payment made | Next $ · Tue, Dec 1', 'Rent | 1 of 1 payment made | All paid']);
  const two = [...one, line('food', '2026-12-01', 'cancelled')];
  assert.deepEqual(foldsOf(two), [
    'Travel | 0 of 1 payment made | Next $ · Tue, Dec 1',
    'Finished | Rent, Food | ',
    'Rent | 1 of 1 payment made | All paid',
    'Food | Cancelled | ',
  ]);
  assert.equal(paymentCalendar(frameAt(NOON), []), null);
});

test('[PLAN-6] a payment is overdue from the day after it was due, where its reader is', () => {
  const lines = [line('rent', '2026-11-23')];
  const isLate = (now: string, zone?: string) => foldsOf(lines, now, zone)[0]?.includes('Overdue');
  assert.deepEqual([isLate('2026-11-23T23:59:59Z'), isLate('2026-11-24T00:00:00Z')], [false, true]);
  assert.equal(isLate('2026-11-24T04:59:59Z', 'America/New_York'), false);
});

test('[PAYMENT-3] each state of a planned payment, and each figure of a balance, has its name', () => {
  const calendar = paymentCalendar(
    frameAt(NOON),
    (['planned', 'requested', 'paid', 'cancelled'] as const).map((status) => line('rent', '2026-12-01', status)),
  );
  const pills = [...tightMarkup(calendar).matchAll(/row-state"><span class="state-pill ?([\w-]*)">([^<]+)/g)];
  assert.deepEqual(
    pills.map(([, look, words]) => `${words} ${look}`.trim()),
    ['Planned', 'Requested is-waiting', 'Paid is-done', 'Cancelled'],
  );
  const figures = tightMarkup(balanceLine({ available_cents: 100, held_cents: 20, paid_cents: 3, funded_cents: 123 }));
  assert.deepEqual(
    [...figures.matchAll(/<dt>([^<]+)<\/dt><dd class="money">([^<]+)/g)].map(([, words, cents]) => `${words} ${cents}`),
    ['Available $1.00', 'Set aside $0.20', 'Paid out $0.03', 'Paid in $1.23'],
  );
});

test('[WHERE-1] a requested payment in the calendar says where its money is, for those who read requests', () => {
  const arrives = { date: '2026-11-30', if: null };
  const place = { label: 'Being sent', holder: null, since: new Date(NOON), arrives, was: '2026-11-27', why: null, action: null };
  const shown = (lines: CalendarPayment[]) =>
    tightMarkup(paymentCalendar(frameAt(NOON, 'UTC'), lines))
      .replaceAll(/<span class="sr-only">[^<]*<\/span>|<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ');
  const requested = line('food', '2026-12-01', 'requested');
  const sent = { ...requested, whereabouts: { ...place, state: 'being_sent' as const } };
  assert.match(shown([sent]), /should arrive Mon, Nov 30 \(was Fri, Nov 27\).*Being sent/);
  assert.doesNotMatch(shown([sent]), /Requested/);
  assert.match(shown([requested]), /Requested/);
});
