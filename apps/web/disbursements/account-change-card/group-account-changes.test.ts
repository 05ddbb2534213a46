import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disbursement, SeenDisbursement } from '../../api/api-shapes.ts';
import { groupAccountChanges } from './group-account-changes.ts';

const SARAH = { user_type: 'surrogate', user_id: 7, name: 'Sarah Lindgren' } as const;
const ACCOUNT = {
  version: '9',
  last_four: '7766',
  previous_last_four: '4321',
  changed_at: '2026-11-24T03:00:00Z',
  changed_since_approval: true,
};
/** The fields that decide about a card. */
function request(id: number, fields: Partial<Disbursement> = {}): Disbursement {
  const simple = { id, status: 'submitted', amount_cents: id * 100, payee: SARAH, payee_account: ACCOUNT, alarm: null };
  return { ...simple, not_payable: null, covered: true, benefit: null, ...fields } as Disbursement;
}
const ofAnother = (id: number) => request(id, { payee: { ...SARAH, user_id: 8, name: 'Mara' } });
const OVER = { over_by_cents: 1 } as Disbursement['benefit'];
const summary = (waiting: SeenDisbursement[]) =>
  groupAccountChanges(waiting).map(({ payee, payments, together, total_cents }) => [
    payee.name,
    payments.map(({ id }) => id),
    together.map(({ id }) => id),
    total_cents,
  ]);

test('[BANK-9] requests that were approved for the previous account make one card for each payee', () => {
  assert.deepEqual(summary([request(1), ofAnother(2), request(3)]), [
    ['Sarah Lindgren', [1, 3], [1, 3], 400],
    ['Mara', [2], [2], 200],
  ]);
});

test('[BANK-9] a request that was not approved before, was decided, or is another person’s draft is on no card', () => {
  const first = request(1, { payee_account: { ...ACCOUNT, changed_since_approval: false } });
  const draft: SeenDisbursement = { ...request(4), payee: null };
  assert.deepEqual(summary([first, request(2, { payee_account: null }), request(3, { status: 'approved' }), draft]), []);
});

test('[BANK-9, CONTRACT-4] payments that need a reason, are not covered, or are stopped are not approved together', () => {
  const stopped = request(3, { not_payable: { reason: 'under_review', sentence: 'Our team is checking this payment.' } });
  const waiting = [request(1, { benefit: OVER }), request(2, { covered: false }), stopped, request(4, { covered: null })];
  assert.deepEqual(summary(waiting), [['Sarah Lindgren', [1, 2, 3, 4], [4], 1000]]);
});
