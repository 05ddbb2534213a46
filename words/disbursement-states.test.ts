import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notCoveredWords } from './coverage.ts';
import {
  DISBURSEMENT_STATES,
  DISBURSEMENT_STEPS,
  disbursementStateInWords,
  disbursementStepInWords,
  unreadDraftWords,
  waitingWithoutDay,
  waitingWords,
} from './disbursement-states.ts';
import { arrivalSentences, arrivalVerb, PLACE_NAMES, placeSteps } from './whereabouts.ts';

test('[PAYMENT-3] every state has the words of its place, and "batched" those of its two places', () => {
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

test('[PAYMENT-3] every step of a request has words of its own, and only "denied" and "returned" are refusals', () => {
  const words = DISBURSEMENT_STEPS.map((step) => disbursementStepInWords(step).words);
  assert.equal(new Set(words).size, DISBURSEMENT_STEPS.length);
  const refusals = DISBURSEMENT_STEPS.filter((step) => disbursementStepInWords(step).isRefusal);
  assert.deepEqual(refusals, ['denied', 'returned']);
});

test('[DRAFT-1] an unread draft is named by its writer, and a cancelled one says that it was never sent', () => {
  assert.equal(unreadDraftWords('draft', 'Sam').name, 'Sam’s draft');
  assert.equal(unreadDraftWords('cancelled', 'Sam').name, 'Sam’s unsent request');
  for (const status of ['draft', 'cancelled'] as const)
    assert.match(unreadDraftWords(status, 'Sam').why, /only Sam can read it/i);
});

test('[REQUEST-14] the day is removed from "Waiting for", and a comma in a name stays', () => {
  for (const name of ['Paige Whitlock', 'Long, since Gone'])
    assert.equal(waitingWithoutDay(waitingWords(`${name} to send it`, 'November 20, 2026')), `Waiting for ${name} to send it`);
  assert.equal(waitingWithoutDay('Waiting for you'), 'Waiting for you');
});

test('[PAYMENT-3, WHERE-2] each place has its step, and only the place itself says "At the bank"', () => {
  const life = (...args: Parameters<typeof placeSteps>) => placeSteps(...args).map(({ words, state }) => `${words}:${state}`);
  assert.deepEqual(life('draft', false), ['Draft:now', 'Sent:ahead', 'Approved:ahead', 'To the bank:ahead', 'Paid:ahead']);
  assert.equal(life('send_again', false)[0], 'Send again:now');
  assert.deepEqual(life('waiting_for_approval', true).slice(0, 3), ['Draft:done', 'Sent:now', 'Approved:ahead']);
  assert.deepEqual(life('approved', true).slice(2, 4), ['Approved:now', 'To the bank:ahead']);
  assert.equal(life('on_hold', true)[2], 'Approved, on hold:now');
  assert.equal(life('being_sent', true)[3], 'Being sent:now');
  assert.equal(life('at_the_bank', true)[3], 'At the bank:now');
  assert.deepEqual(life('paid', true).slice(3), ['To the bank:done', 'Paid:done']);
  assert.deepEqual(life('denied', true), ['Draft:done', 'Sent:done', 'Denied:refused']);
  assert.deepEqual(life('cancelled', false), ['Draft:done', 'Cancelled:refused']);
  assert.deepEqual(life('cancelled', true), ['Draft:done', 'Sent:done', 'Cancelled:refused']);
  assert.equal(life('returned', true).at(-1), 'Sent back by the bank:refused');
  assert.equal(life('ended', true).at(-1), 'Ended:refused');
  for (const place of PLACE_NAMES) assert.equal(life(place, true).join().includes('At the bank'), place === 'at_the_bank', place);
});

test('[WHERE-1] a mail says when the money arrives, or why no day is known', () => {
  const arrives = { date: '2026-11-30', if: null };
  const words = (place: Partial<Parameters<typeof arrivalSentences>[0]>) =>
    arrivalSentences({ state: 'approved', arrives, why: null, ...place });
  assert.equal(words({}), 'It should arrive on Monday, November 30, 2026.');
  assert.equal(words({ state: 'at_the_bank' }), 'It arrives on Monday, November 30, 2026.');
  assert.equal(words({ state: 'on_hold', why: 'It waits.' }), 'It waits. It should arrive on Monday, November 30, 2026.');
  assert.equal(words({ why: 'It moved.' }), 'It should arrive on Monday, November 30, 2026.', 'why a day moved is on the page');
  const conditional = { ...arrives, if: 'Sam adds an account' };
  assert.equal(words({ arrives: conditional }), 'It would arrive on Monday, November 30, 2026 if Sam adds an account.');
  assert.equal(words({ arrives: null }), 'The request shows the day as soon as there is one.');
  assert.match(words({ state: 'on_hold', arrives: null, why: 'Stopped.' }), /^Stopped\. The request shows/);
});

test('[WHERE-1] a day is certain once the bank has the money, and conditional while someone has to act', () => {
  assert.equal(arrivalVerb({ state: 'paid', arrives: { if: null } }), 'arrived');
  assert.equal(arrivalVerb({ state: 'at_the_bank', arrives: { if: null } }), 'arrives');
  assert.equal(arrivalVerb({ state: 'being_sent', arrives: { if: null } }), 'should arrive');
  assert.equal(arrivalVerb({ state: 'waiting_for_approval', arrives: { if: 'it is approved' } }), 'would arrive');
});

test('[FUNDS-3] the warning about missing money says what happens after a deposit, and how to get one', () => {
  const start = 'Not covered: the case has less than this available.';
  assert.equal(
    notCoveredWords({ status: 'returned', isStaff: true }),
    `${start} It can be paid again once a deposit has arrived. Ask the parents for one.`,
  );
  assert.equal(
    notCoveredWords({ status: 'submitted', isStaff: false }),
    `${start} It can be approved once a deposit has arrived. The escrow specialist can explain how to make one.`,
  );
});
