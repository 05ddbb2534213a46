import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disbursementSteps, waitingWithoutDay, waitingWords } from './disbursement-states.ts';

test('[decisions 8] the steps of a request end where it ended', () => {
  const steps = (...life: Parameters<typeof disbursementSteps>) =>
    disbursementSteps(...life).map(({ words, state }) => `${words}:${state}`);
  assert.deepEqual(steps('draft', false).slice(0, 2), ['Draft:now', 'Sent:ahead']);
  assert.deepEqual(steps('submitted', true).slice(0, 3), ['Draft:done', 'Sent:now', 'Approved:ahead']);
  assert.deepEqual(steps('paid', true).at(-1), 'Paid:done');
  assert.deepEqual(steps('denied', true), ['Draft:done', 'Sent:done', 'Denied:refused']);
  assert.deepEqual(steps('cancelled', false), ['Draft:done', 'Cancelled:refused']);
  assert.deepEqual(steps('cancelled', true), ['Draft:done', 'Sent:done', 'Cancelled:refused']);
  assert.deepEqual(steps('returned', true).at(-1), 'Sent back:refused');
});

test('[decisions 8] whom a request waits for is read without the day, whatever the person is called', () => {
  for (const name of ['Paige Whitlock', 'Long, since Gone'])
    assert.equal(
      waitingWithoutDay(waitingWords(`${name} to send it`, 'November 20, 2026')),
      `Waiting for ${name} to send it`,
    );
  assert.equal(waitingWithoutDay('Waiting for you'), 'Waiting for you');
});
