import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DISBURSEMENT_STATES,
  DISBURSEMENT_STEPS,
  disbursementStateInWords,
  disbursementStepInWords,
  unreadDraftWords,
  waitingWithoutDay,
  waitingWords,
} from './disbursement-states.ts';

test('[PAYMENT-3] every state has the words of its place, except the one that two places share', () => {
  const shown = DISBURSEMENT_STATES.map((status) => {
    const { words, mark } = disbursementStateInWords(status);
    return [status, words, mark].join(' | ');
  });
  assert.deepEqual(shown, [
    'draft | Draft | ',
    'submitted | Waiting for approval | is-waiting',
    'approved | Approved | is-active',
    'batched | Being sent or at the bank | is-active',
    'paid | Paid | is-done',
    'denied | Denied | is-refused',
    'returned | Sent back by the bank | is-refused',
    'cancelled | Cancelled | ',
    'ended | Ended | ',
  ]);
});

test('[PAYMENT-3] every step of a request has words of its own, and two of them stop the money', () => {
  const words = DISBURSEMENT_STEPS.map((step) => disbursementStepInWords(step).words);
  assert.equal(new Set(words).size, DISBURSEMENT_STEPS.length);
  assert.equal(DISBURSEMENT_STEPS.length, 18);
  const refusals = DISBURSEMENT_STEPS.filter((step) => disbursementStepInWords(step).isRefusal);
  assert.deepEqual(refusals, ['denied', 'returned']);
});

test('[DRAFT-1] an unread draft is named by its writer, and a cancelled one says that it was never sent', () => {
  assert.equal(unreadDraftWords('draft', 'Sam').name, 'Sam’s draft');
  assert.equal(unreadDraftWords('cancelled', 'Sam').name, 'Sam’s unsent request');
  for (const status of ['draft', 'cancelled'] as const)
    assert.match(unreadDraftWords(status, 'Sam').why, /only Sam can read it/i);
});

test('[REQUEST-14] whom a request waits for is read without the day, for any name of the person', () => {
  for (const name of ['Paige Whitlock', 'Long, since Gone'])
    assert.equal(waitingWithoutDay(waitingWords(`${name} to send it`, 'November 20, 2026')), `Waiting for ${name} to send it`);
  assert.equal(waitingWithoutDay('Waiting for you'), 'Waiting for you');
});
