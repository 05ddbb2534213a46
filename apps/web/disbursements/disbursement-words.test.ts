import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disbursement } from '../api/api-shapes.ts';
import { EXAMPLE_REQUEST } from '../test-page/example-request.ts';
import { canDecide, conditionWords, isMaker, isReadable, isWaitingForMe, progressWords } from './disbursement-words.ts';

const person = (user_id: number, name: string) => ({ user_type: 'intended_parent' as const, user_id, name });
const SENT = EXAMPLE_REQUEST;

test("[REQUEST-14] 'where is my money' speaks to its reader and leaves out the day", () => {
  assert.equal(progressWords(SENT, { id: 1 }), 'Waiting for Pat, since ever to approve it');
  assert.equal(progressWords(SENT, { id: 2 }), 'Waiting for you to decide');
  const draft: Disbursement = {
    ...SENT,
    status: 'draft',
    waiting_for: 'Waiting for Sam to send it, since November 20, 2026',
  };
  assert.equal(progressWords(draft, { id: 1 }), 'Waiting for you to send it');
  const again: Disbursement = { ...draft, whereabouts: { ...SENT.whereabouts, state: 'send_again' } };
  assert.equal(progressWords(again, { id: 1 }), 'Waiting for you to send it again');
  const back = { code: 'R03', reason: '', what_to_do: '', who_acts: 'payee' as const };
  const waiting_for = 'Waiting for Sam to help us pay it again, since November 20, 2026';
  const returned: Disbursement = { ...SENT, status: 'returned', waiting_for, return: back };
  assert.equal(progressWords(returned, { id: 1 }), 'Waiting for you');
  assert.equal(progressWords(returned, { id: 2 }), 'Waiting for Sam to help us pay it again');
  assert.equal(progressWords(draft, { id: 2 }), 'Waiting for Sam to send it');
  const byStaff: Disbursement = { ...returned, return: { ...back, who_acts: 'staff' } };
  assert.equal(progressWords(byStaff, { id: 1 }), 'Waiting for Sam to help us pay it again');
  assert.equal(progressWords({ ...SENT, status: 'paid', waiting_for: null }, { id: 1 }), null);
  assert.deepEqual([isMaker(SENT, { id: 1 }), isMaker(SENT, { id: 2 })], [true, false]);
  assert.deepEqual([isReadable(SENT), isReadable({ ...SENT, payee: null } as never)], [true, false]);
});

test('[WHERE-3] the condition for the day of the money names its reader "you"', () => {
  const condition = 'Pat, since ever approves it and Sam adds a bank account by 2 PM in New York on November 27, 2026';
  const arrives = { date: '2026-11-30', if: condition };
  const waiting: Disbursement = { ...SENT, payee: person(3, 'Sam'), whereabouts: { ...SENT.whereabouts, arrives } };
  const after = ' by 2 PM in New York on November 27, 2026';
  assert.equal(conditionWords(waiting, { id: 2 }), `you approve it and Sam adds a bank account${after}`);
  assert.equal(conditionWords(waiting, { id: 3 }), `Pat, since ever approves it and you add a bank account${after}`);
  assert.equal(conditionWords(waiting, { id: 1 }), condition);
  assert.equal(conditionWords(SENT, { id: 2 }), null);
});

test('[REQUEST-5] the approver and staff are offered the decision, and the maker never is', () => {
  const asks = (id: number, userType: 'ip' | 'surrogate' | 'admin', disbursement = SENT) =>
    canDecide(disbursement, { id, userType, name: '' });
  assert.deepEqual([asks(1, 'surrogate'), asks(2, 'ip'), asks(3, 'ip')], [false, true, false]);
  assert.deepEqual([asks(4, 'admin'), asks(1, 'admin')], [true, false]);
  for (const status of ['draft', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled'] as const) {
    const other: Disbursement = { ...SENT, status };
    assert.deepEqual([asks(2, 'ip', other), asks(4, 'admin', other), isWaitingForMe(other, { id: 2 })], [false, false, false]);
  }
  const unassigned: Disbursement = { ...SENT, approver: null };
  assert.deepEqual([asks(2, 'ip', unassigned), asks(4, 'admin', unassigned)], [false, true]);
});
