import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWaitingBatches } from '@case-platform/modules/banking';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { ACCOUNT, BANK, gather, MONDAY, openDesk, press, sign, step } from './batches-desk.ts';

/** Both the code and the tables separate maker and checker, and either would be enough. */

const desk = await openDesk();
const { api, surrogate, root, finance, approved, putAccount } = desk;
await putAccount(surrogate);
await api.pool.query('update payee_bank_account set usable_from = created_at');
const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
// Finance gets every permission about batches that root has.
await rowsOf(
  `insert into admin_role_permission
   select admin_role_id, unnest(array['approve_nacha', 'create_nacha', 'make_payments']) from user_account
    where email_address = 'finance@demo.test' on conflict do nothing`,
);
await root.post('/batches/bank', BANK);

const state = async (path: string) =>
  (await rowsOf('select status from banking_batch where id = $1', [path.split('/').at(-1)]))[0].status;

test('[BATCH-3] the maker of a batch cannot take the steps that check it, in any role', async () => {
  const path = await gather(root, [await approved()]);
  const refuse = async (name: string, fields: Record<string, string> = {}) => {
    const before = await state(path);
    assert.equal((await press(api, root, path, name, fields)).status, 403, name);
    assert.equal(await state(path), before, name);
  };
  await refuse('approve');
  await finance.fill(await finance.get(path), `${path}/approve`);
  assert.equal(await state(path), 'approved');
  await step(finance, path, 'generate');
  await sign(finance, path);
  const unsigned = await finance.fill(await finance.get(path), `${path}/hand-out`);
  assert.notEqual(unsigned.status, 303, 'one signature is not enough');
  assert.equal((await finance.fill(await finance.get(path), `${path}/sign`)).status === 303, false, 'no one signs twice');
  assert.equal(await state(path), 'generated');
  assert.equal((await rowsOf('select from batch_signature where batch_id = $1', [path.split('/').at(-1)])).length, 1);
  await sign(root, path);
  await refuse('hand-out');
  await step(finance, path, 'hand-out');
  await refuse('outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  await step(finance, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  await refuse('settle');
  await step(finance, path, 'settle');
  assert.equal(await state(path), 'settled');
});

test('[BATCH-9] a batch waits for people who can take the next step, not for its maker, signers, or anyone with a part in it', async () => {
  const path = await gather(finance, [await approved()]);
  const [rootId, financeId] = [(await api.as('root')).userId, (await api.as('finance')).userId];
  const waits = async (who = [rootId, financeId]) => {
    const lists = await Promise.all(
      who.map((id) => listWaitingBatches(api.db, id, { approves: true, signs: true, limit: 50, now: MONDAY })),
    );
    return lists.map((batches) => batches.some(({ id }) => id === Number(path.split('/').at(-1))));
  };
  const setBy = (id: number) => rowsOf('update payee_bank_account set created_by = $1 where replaced_at is null', [id]);
  const withoutInsider = async (expected: boolean[]) => {
    await setBy(rootId);
    assert.deepEqual(await waits(), [false, expected[1]], 'who has entered the account');
    await setBy(surrogate.userId);
    assert.deepEqual(await waits(), expected);
  };
  await withoutInsider([true, false]);
  assert.match((await root.get('/')).text, new RegExp(`href="${path}"`));
  assert.doesNotMatch((await finance.get('/')).text, new RegExp(`href="${path}"`));
  await step(root, path, 'approve');
  assert.deepEqual(await waits(), [false, false]);
  await step(finance, path, 'generate');
  await withoutInsider([true, true]);
  await sign(finance, path);
  await withoutInsider([true, false]);
  const other = [(await api.as('viewer')).userId];
  assert.deepEqual(await waits(other), [true]);
  await sign(root, path);
  assert.deepEqual([await waits(), await waits(other)], [[false, false], [false]], 'two have signed');
});

test('[BATCH-6] a batch keeps its last request', async () => {
  const id = await approved();
  const path = await gather(finance, [id]);
  assert.equal((await finance.post(`${path}/remove`, { disbursement_id: String(id) })).status, 409);
  assert.equal(await state(path), 'draft');
});

test('[BANK-7] staff have no bank account, and are paid nothing', async () => {
  const asFinance = await api.as('finance');
  const { userId } = asFinance;
  const refused = await root.post(`/bank-accounts/${userId}`, { version: 'none', ...ACCOUNT });
  assert.equal(refused.status, 404);
  const own = await asFinance.call('PUT', '/api/user/me/bank-account', {
    body: JSON.stringify({ pass_hash: DEMO_PASSWORD, ...ACCOUNT }),
    headers: { 'content-type': 'application/json' },
  });
  assert.ok([403, 404].includes(own.status), JSON.stringify(own.body));
  const accountsOf = (id: number) => rowsOf('select id from payee_bank_account where user_id = $1', [id]);
  assert.deepEqual(await accountsOf(userId), []);
  assert.ok((await accountsOf(surrogate.userId)).length > 0, 'those who are paid have one');
});

test('[BATCH-2] a batch gathers up to 500 requests', async () => {
  const [account] = await rowsOf('select id, user_id from payee_bank_account where replaced_at is null');
  const make = async (count: number): Promise<number[]> =>
    (
      await rowsOf(
        `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, status,
                                           submitted_by, submitted_at, approver_id, decided_at)
         select 1, 1, 'Travel', 'Train', $1, $1, 'approved', $1, now(), p.user_id, now()
           from generate_series(1, $2), (select min(user_id) as user_id from case_participant where user_id <> $1) p
         returning id::int`,
        [account.user_id, count],
      )
    ).map(({ id }) => id);
  const send = async (ids: number[]) => (await finance.post('/batches', { disbursement_ids: ids.map(String) })).status;
  assert.equal(await send(await make(501)), 422);
  assert.equal(await send(await make(500)), 303);
});
