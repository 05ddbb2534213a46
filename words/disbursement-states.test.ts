import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DISBURSEMENT_STATES,
  DISBURSEMENT_STEPS,
  disbursementStateInWords,
  disbursementStepInWords,
  disbursementSteps,
  unreadDraftWords,
  waitingWithoutDay,
  waitingWords,
} from './disbursement-states.ts';

test('[PAYMENT-3] every state has its own words, its mark, and its place among the steps', () => {
  const shown = DISBURSEMENT_STATES.map((status) => {
    const { words, mark } = disbursementStateInWords(status);
    const life = disbursementSteps(status, true);
    const reached = life.findIndex(({ state }) => state === 'now' || state === 'refused');
    return [status, words, mark, reached, life.length].join(' | ');
  });
  assert.deepEqual(shown, [
    'draft | Draft |  | 0 | 5',
    'submitted | Waiting for approval | is-waiting | 1 | 5',
    'approved | Approved | is-active | 2 | 5',
    'batched | Being sent or at the bank | is-active | 3 | 5',
    'paid | Paid | is-done | -1 | 5',
    'denied | Denied | is-refused | 2 | 3',
    'returned | Sent back | is-refused | 4 | 5',
    'cancelled | Cancelled |  | 2 | 3',
    'ended | Ended |  | 4 | 5',
  ]);
  assert.equal(
    disbursementSteps('paid', true).every(({ state }) => state === 'done'),
    true,
  );
});

test('[PAYMENT-3] every step of a request has words of its own, and two of them stop the money', () => {
  const words = DISBURSEMENT_STEPS.map((step) => disbursementStepInWords(step).words);
  assert.equal(new Set(words).size, DISBURSEMENT_STEPS.length);
  assert.equal(DISBURSEMENT_STEPS.length, 17);
  const refusals = DISBURSEMENT_STEPS.filter((step) => disbursementStepInWords(step).isRefusal);
  assert.deepEqual(refusals, ['denied', 'returned']);
});

test('[DRAFT-1] an unread draft is named by its writer, and a cancelled one says that it was never sent', () => {
  assert.equal(unreadDraftWords('draft', 'Sam').name, 'Sam’s draft');
  assert.equal(unreadDraftWords('cancelled', 'Sam').name, 'Sam’s unsent request');
  for (const status of ['draft', 'cancelled'] as const)
    assert.match(unreadDraftWords(status, 'Sam').why, /only Sam can read it/i);
});

test('[PAYMENT-3] the steps of a request end where it ended', () => {
  const steps = (...life: Parameters<typeof disbursementSteps>) =>
    disbursementSteps(...life).map(({ words, state }) => `${words}:${state}`);
  assert.deepEqual(steps('draft', false).slice(0, 2), ['Draft:now', 'Sent:ahead']);
  assert.deepEqual(steps('submitted', true).slice(0, 3), ['Draft:done', 'Sent:now', 'Approved:ahead']);
  assert.deepEqual(steps('batched', true)[3], 'Being sent:now');
  assert.deepEqual(steps('batched', true, true)[3], 'At the bank:now');
  assert.deepEqual(steps('paid', true).at(-1), 'Paid:done');
  assert.deepEqual(steps('denied', true), ['Draft:done', 'Sent:done', 'Denied:refused']);
  assert.deepEqual(steps('cancelled', false), ['Draft:done', 'Cancelled:refused']);
  assert.deepEqual(steps('cancelled', true), ['Draft:done', 'Sent:done', 'Cancelled:refused']);
  assert.deepEqual(steps('returned', true).at(-1), 'Sent back:refused');
});

test('[REQUEST-14] whom a request waits for is read without the day, for any name of the person', () => {
  for (const name of ['Paige Whitlock', 'Long, since Gone'])
    assert.equal(waitingWithoutDay(waitingWords(`${name} to send it`, 'November 20, 2026')), `Waiting for ${name} to send it`);
  assert.equal(waitingWithoutDay('Waiting for you'), 'Waiting for you');
});
