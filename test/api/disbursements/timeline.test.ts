import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { batchDisbursements } from '@case-platform/modules/disbursements';
import { CASE_1 } from '../../support/cast.ts';
import { asBank, BANK, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
const { surrogate, parent, escrow } = await api.everyone();

interface Step {
  at: string;
  event: string;
  by: { name: string } | null;
  note: string | null;
}
const storyOf = async (who: Client, id: number) => {
  const { timeline } = (await who.get(`/api/disbursements/${id}`)).body;
  const times = timeline.map(({ at }: Step) => at);
  assert.deepEqual(times, [...times].sort(), 'the oldest first');
  return timeline.map(({ event, by, note }: Step) => [event, by?.name ?? null, note]);
};
const patch = (who: Client, id: number, body: object) =>
  who.call('PATCH', `/api/disbursements/${id}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

test('[REQUEST-15] a timeline says who did what and why, from being written to being returned by the bank', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  await move(parent, id, 'approve', { reason: 'Agreed by phone' });
  for (const step of ['batch', 'pay', 'return'] as const) await asBank(api, (tx) => Promise.resolve(BANK[step](tx, id)));
  const story = await storyOf(surrogate, id);
  assert.deepEqual(story.slice(0, 5), [
    ['created', 'Sarah Lindgren', null],
    ['submitted', 'Sarah Lindgren', null],
    ['approved', 'Paige Whitlock', 'Agreed by phone'],
    ['batched', null, null],
    ['paid', null, null],
  ]);
  assert.deepEqual(story[5].slice(0, 2), ['returned', null]);
  assert.match(story[5][2], /account/);
  const listed = (await parent.get(`/api/cases/${CASE_1}/disbursements`)).body.data;
  assert.equal(listed.find((one: { id: number }) => one.id === id).timeline.length, 6);
});

test('[DRAFT-1, REQUEST-15] how a draft was written is shown to its writer only; changes after submission are shown to all', async () => {
  const { id } = await draft(surrogate);
  await patch(surrogate, id, { amount_cents: 5 });
  await move(surrogate, id, 'submit');
  await patch(surrogate, id, { amount_cents: 6 });
  await move(surrogate, id, 'submit');
  await move(parent, id, 'deny', { reason: 'Not covered' });
  assert.deepEqual(await storyOf(parent, id), [
    ['created', 'Sarah Lindgren', null],
    ['submitted', 'Sarah Lindgren', null],
    ['changed', 'Sarah Lindgren', null],
    ['submitted', 'Sarah Lindgren', 'The amount was changed from $0.05 to $0.06.'],
    ['denied', 'Paige Whitlock', 'Not covered'],
  ]);
});

test('[REQUEST-16] a request that is submitted again says how it differs, whatever was tried in between', async () => {
  const { id } = await draft(surrogate);
  const lastSent = async (change: object) => {
    await patch(surrogate, id, change);
    await move(surrogate, id, 'submit');
    const sent = (await storyOf(parent, id)).filter(([event]: string[]) => event === 'submitted');
    return sent.at(-1)[2];
  };
  assert.equal(await lastSent({ amount_cents: 500 }), null, 'sent for the first time');
  await patch(surrogate, id, { amount_cents: 501 });
  await patch(surrogate, id, { category: 'Parking' });
  const both = 'The amount was changed from $5.00 to $555.55. What it’s for was changed.';
  assert.equal(await lastSent({ amount_cents: 55_555 }), both);
  await patch(surrogate, id, { amount_cents: 1 });
  assert.equal(await lastSent({ amount_cents: 55_555 }), null, 'as it was sent before');
  const payee = { user_type: 'intended_parent', user_id: parent.userId };
  assert.equal(await lastSent({ payee }), 'The payee was changed.');
});

test('[REQUEST-15] only staff read which of them dealt with the bank', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  await move(parent, id, 'approve');
  const by = { actor: { id: escrow.userId, user_type: 'admin' }, origin: SYSTEM };
  await api.db.transaction((tx) => batchDisbursements(tx, [id], by, new Date()));
  const last = async (who: Client) => (await storyOf(who, id)).at(-1);
  assert.deepEqual(await last(parent), ['batched', null, null]);
  assert.deepEqual(await last(escrow), ['batched', 'Elena Marsh', null]);
});
