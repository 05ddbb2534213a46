import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DuePayment } from '@case-platform/modules/banking';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { paymentListPage } from './payment-list.ts';

const line = (status: DuePayment['status'], due_date: string): DuePayment => ({
  id: 1,
  case_id: 1,
  case_name: 'Case 1',
  category: 'allowance',
  description: '',
  due_date,
  amount_cents: 5,
  status,
  payee_name: null,
  disbursement_id: null,
});

test('[PLAN-6] a planned payment is overdue from the day after it was due, where its reader is', () => {
  const shown = (due: DuePayment[], now: string, zone = 'UTC') =>
    [
      ...tightMarkup(
        paymentListPage(staffFrame({ permissions: [], now, zone }), {
          due,
          next_cursor: null,
          paid: [],
          query: {},
        }),
      ).matchAll(/data-label="State"><span class="state-pill ?([\w-]*)">([^<]+)/g),
    ].map(([, look, words]) => `${words} ${look}`.trim());
  const all = (['planned', 'requested', 'paid', 'cancelled'] as const).flatMap((status) =>
    ['2026-11-22', '2026-11-23'].map((day) => line(status, day)),
  );
  const others = ['Requested is-active', 'Requested is-active', 'Paid is-done', 'Paid is-done', 'Cancelled', 'Cancelled'];
  assert.deepEqual(shown(all, '2026-11-23T23:59:59Z'), ['Overdue is-waiting', 'Planned', ...others]);
  assert.deepEqual(shown(all, '2026-11-24T00:00:00Z'), ['Overdue is-waiting', 'Overdue is-waiting', ...others]);
  assert.deepEqual(shown(all, '2026-11-23T04:59:59Z', 'America/New_York'), ['Planned', 'Planned', ...others]);
});
