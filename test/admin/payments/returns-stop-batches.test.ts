import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { bringTo } from '../../support/money.ts';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, press, problemOf, readReturns, releaseBatch, sign, step } from '../batches/batches-desk.ts';

/** A return that is about an account stops every payment to it that the bank does not have yet (RETURN-4). */

const { api, surrogate, parent, root, finance, approved, putAccount, statusOf } = await openDesk();
await putAccount(surrogate);
const parent2 = await api.as('parent2');
await putAccount(parent, { account_number: '55667788' });
await root.post('/batches/bank', BANK);
const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
const PAYS_NO_MORE = ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'];
const PAYS_ON = ['R01', 'R17', 'C01'];

/** One payment at the bank for each code, so that each can be returned separately. */
const sent = new Map<string, number>();
for (const code of [...PAYS_NO_MORE, ...PAYS_ON, 'R02 of one of two']) sent.set(code, await approved());
await releaseBatch(finance, root, [...sent.values()]);

/** Records a return of one of these payments with its code. */
async function answer(of: string): Promise<void> {
  const [entry] = await rowsOf('select trace_number from banking_batch_entry where disbursement_id = $1', [sent.get(of)]);
  const code = of.slice(0, 3);
  const cents = code.startsWith('C') ? 0 : 12_500;
  const read = await readReturns(finance, root, returnFile([{ code, trace: entry.trace_number, cents, corrected: '998877' }]));
  assert.equal(read.status, 200, problemOf(read));
}

/** Before each test, the flags of all accounts are cleared. */
beforeEach(async () => {
  await rowsOf('update payee_bank_account set flag_code = null, flagged_at = null, correction = null');
});

const forParent = () =>
  bringTo(api, { maker: surrogate, checker: parent2 }, 'approved', {
    payee: { user_type: 'intended_parent', user_id: parent.userId },
  });

type Reached = 'draft' | 'approved' | 'generated';

async function batchIn(state: Reached, ids: number[]): Promise<string> {
  const path = await gather(finance, ids);
  if (state === 'draft') return path;
  await step(root, path, 'approve');
  if (state === 'approved') return path;
  await step(finance, path, 'generate');
  await sign(finance, path);
  await sign(root, path);
  return path;
}

/** Makes batches of one request each, in every state before the bank has the file. */
async function gatherThree() {
  const ids = { draft: await approved(), approved: await approved(), generated: await approved() };
  const paths = {
    draft: await batchIn('draft', [ids.draft]),
    approved: await batchIn('approved', [ids.approved]),
    generated: await batchIn('generated', [ids.generated]),
  };
  return { ids, paths };
}

const next = (state: Reached, path: string) =>
  state === 'draft'
    ? press(api, root, path, 'approve')
    : state === 'approved'
      ? press(api, finance, path, 'generate')
      : press(api, root, path, 'hand-out');

test('[RETURN-4] a return about the account takes later payments to it out of batches, and stops the release of a file', async () => {
  const { ids, paths } = await gatherThree();
  await answer('R02');
  for (const state of ['draft', 'approved'] as const) {
    const { text } = await finance.get(paths[state]);
    assert.match(text, /Cancelled/, state);
    assert.match(text, /needs to add another bank account/, state);
    assert.equal(await statusOf(ids[state]), 'approved');
    assert.equal((await next(state, paths[state])).status, 409, state);
  }
  const refused = await next('generated', paths.generated);
  assert.equal(refused.status, 409);
  const words =
    /“Train to the clinic” \(\$.* to Sarah Lindgren\) can’t be sent: .* needs to add another bank account .*Remove what/;
  assert.match(problemOf(refused), words);
  assert.match((await root.get(paths.generated)).text, /Needs another account/);
  await step(root, paths.generated, 'cancel', { reason: 'The account can’t be paid' });
  assert.equal(await statusOf(ids.generated), 'approved');
  assert.equal((await finance.post('/batches', { disbursement_ids: String(ids.generated) })).status, 409);
});

for (const code of PAYS_NO_MORE.filter((one) => one !== 'R02')) {
  test(`[RETURN-4] a return with ${code} is about the account`, async () => {
    const id = await approved();
    const path = await gather(finance, [id]);
    await answer(code);
    assert.match((await finance.get(path)).text, /Cancelled/);
    assert.equal((await finance.post('/batches', { disbursement_ids: String(id) })).status, 409);
  });
}

for (const code of PAYS_ON) {
  test(`[RETURN-4] a return with ${code} is about the payment: other batches continue`, async () => {
    const { ids, paths } = await gatherThree();
    await answer(code);
    for (const state of ['draft', 'approved', 'generated'] as const) {
      const done = await next(state, paths[state]);
      assert.equal(done.status, 303, `${state}: ${problemOf(done)}`);
      assert.equal(await statusOf(ids[state]), 'batched');
    }
  });
}

test('[BATCH-6, RETURN-4] the other payees of a batch stay in it, and it is approved again', async () => {
  const theirs = await forParent();
  const own = await approved();
  const path = await batchIn('approved', [own, theirs]);
  await answer('R02 of one of two');
  assert.deepEqual([await statusOf(own), await statusOf(theirs)], ['approved', 'batched']);
  const { text } = await root.get(path);
  assert.match(text, /Taken out/);
  assert.equal((await press(api, finance, path, 'generate')).status, 409, 'not before it is approved again');
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
});

test('[RETURN-4] no step brings a batch to the bank that pays an account from which the bank returned a payment', async () => {
  const { paths } = await gatherThree();
  const other = await forParent();
  const two = await batchIn('draft', [other, await approved()]);
  // The account is flagged directly in the table, so that the requests stay in their batches.
  await rowsOf(`update payee_bank_account set flag_code = 'R02', flagged_at = now() where user_id = $1`, [surrogate.userId]);
  for (const state of ['draft', 'approved', 'generated'] as const) {
    const refused = await next(state, paths[state]);
    assert.equal(refused.status, 409, state);
    assert.match(problemOf(refused), /“Train to the clinic” \(\$.* to Sarah Lindgren\) can’t be sent: .*another bank account/);
  }
  const refused = await next('draft', two);
  assert.match(problemOf(refused), /Remove what can’t be sent first/);
  const [, flagged] = await rowsOf('select disbursement_id as id from banking_batch_entry where batch_id = $1 order by 1', [
    two.split('/')[2],
  ]);
  assert.equal((await finance.post(`${two}/remove`, { disbursement_id: String(flagged.id) })).status, 303);
  await step(root, two, 'approve');
});
