import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';

let now = new Date('2026-11-23T16:00:00Z');
const api = await startApi({ now: () => now });
const { surrogate, parent, parent2, manager, owner, root } = await api.everyone();
const PATH = '/api/user/me/bank-account';
const ACCOUNT = {
  holder_name: 'Sarah Lindgren',
  routing_number: '021000021',
  account_number: '123456789',
  account_kind: 'checking',
};

const put = (client: Client | undefined, fields: object = {}, pass_hash = DEMO_PASSWORD) =>
  (client as Client).call('PUT', PATH, {
    body: JSON.stringify({ pass_hash, ...ACCOUNT, ...fields }),
    headers: { 'content-type': 'application/json' },
  });
const mailsTo = async (recipient: string) =>
  (
    await api.pool.query(
      `select subject, content from delivery where event = 'bank_account_changed' and recipient = $1 order by id`,
      [recipient],
    )
  ).rows;

test('[BANK-1, BANK-5] a first account is used at once; the number is never shown again, nor stored in plain text', async () => {
  assert.equal((await (surrogate as Client).get(PATH)).status, 404);
  const set = await put(surrogate);
  const shown = { ...ACCOUNT, account_number: undefined, last_four: '6789', usable_from: now.toISOString() };
  const { account_number, ...expected } = shown;
  assert.deepEqual([set.status, set.body], [200, expected]);
  assert.deepEqual((await (surrogate as Client).get(PATH)).body, expected);
  assert.deepEqual(await findStoredSecrets(api.pool, { number: ACCOUNT.account_number }), []);
  assert.deepEqual(await mailsTo('surrogate@demo.test'), []);
});

test('[BANK-1] a change waits 48 hours and is mailed to the owner, and sending the same again changes nothing', async () => {
  assert.equal((await put(owner)).status, 200);
  now = new Date('2026-11-23T16:10:00Z');
  const answer = await put(owner, { account_number: '987654321', account_kind: 'savings' });
  assert.equal(answer.body.usable_from, '2026-11-25T16:10:00.000Z');
  assert.equal(answer.body.last_four, '4321');
  assert.deepEqual(
    (await mailsTo('owner@demo.test')).map(({ subject }) => subject),
    ['Your bank account was changed'],
  );
  await api.work();
  const [{ content }] = await mailsTo('owner@demo.test');
  assert.match(content.text, /Starting November 25, 2026, payments to you go to the account ending in 4321/);
  assert.doesNotMatch(JSON.stringify(content), /987654321/);
  now = new Date('2026-11-23T16:20:00Z');
  const again = await put(owner, { account_number: ' 987 654 321 ', account_kind: 'savings' });
  assert.deepEqual(again.body, answer.body);
  assert.equal((await mailsTo('owner@demo.test')).length, 1);
});

test('[BANK-1] changing any single part of an account is a change, and sending the same again is not', async () => {
  const { userId } = parent2 as Client;
  const count = async () => (await api.pool.query('select from payee_bank_account where user_id = $1', [userId])).rowCount;
  const parts = [
    {},
    { holder_name: 'Somebody Else' },
    { routing_number: '091000019' },
    { account_number: '223456789' },
    { account_kind: 'savings' },
  ];
  let given = {};
  for (const [at, part] of parts.entries())
    for (const again of [false, true]) {
      // Earlier changes stay, so only this part differs from the stored account.
      given = { ...given, ...part };
      assert.equal((await put(parent2, given)).status, 200);
      assert.equal(await count(), at + 1, JSON.stringify([part, again]));
    }
});

test('[BANK-1] 20 changes at the same time leave one account', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(manager, { account_number: `10000${index}` })));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const { rows } = await api.pool.query(
    'select count(*)::int as live from payee_bank_account where user_id = $1 and replaced_at is null',
    [manager?.userId],
  );
  assert.equal(rows[0].live, 1);
});

test('[BANK-4] an invalid account is rejected by field, and nothing is written', async () => {
  const wrong: [object, string[]][] = [
    [{ routing_number: '021000022' }, ['routing_number']],
    [{ routing_number: '000000000' }, ['routing_number']],
    [{ routing_number: '02100002' }, ['routing_number']],
    [{ account_number: '123' }, ['account_number']],
    [{ account_number: '123456789012345678' }, ['account_number']],
    [{ account_number: "1234'; drop table x" }, ['account_number']],
    [{ account_number: '1234\u0000' }, ['account_number']],
    [{ holder_name: ' ' }, ['holder_name']],
    [{ holder_name: '明' }, ['holder_name']],
    [{ holder_name: '=HYPERLINK("http://x.test")' }, ['holder_name']],
    [{ holder_name: '=1+1', routing_number: 'x', account_number: '' }, ['holder_name', 'routing_number', 'account_number']],
    [{ account_kind: 'loan' }, ['account_kind']],
    [{ account_number: 123456789 }, ['account_number']],
    [{ holder_name: null }, ['holder_name']],
  ];
  for (const [fields, names] of wrong) {
    const answer = await put(parent, fields);
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.deepEqual(
      answer.body.errors.map(({ field }: { field: string }) => field),
      names,
      JSON.stringify(fields),
    );
  }
  assert.equal((await (parent as Client).get(PATH)).status, 404);
});

test('[IDENTITY-1] a wrong current password is a 422, and nothing is written', async () => {
  const refused = await put(parent, {}, 'not-the-password');
  assert.deepEqual([refused.status, refused.body.code], [422, 'wrong_password']);
  assert.equal((await (parent as Client).get(PATH)).status, 404);
});

test('[BANK-7, GUARD-10] staff have no account of their own here, and callers need a token', async () => {
  assert.equal((await put(root)).status, 403);
  assert.equal((await (root as Client).get(PATH)).status, 403);
  assert.equal((await put(api.anonymous)).status, 401);
});

test('[BANK-8] a preview lists what a change stops, saves nothing, and needs no proof of identity', async () => {
  const me = await api.as('surrogate');
  const approver = await api.as('parent');
  await fundCase(api, CASE_1, 1_000_000);
  const id = await bringTo(api, { maker: me, checker: approver }, 'approved');
  const next = { ...ACCOUNT, account_number: '777888999' };
  const call = (body: object) =>
    me.call('PUT', PATH, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const preview = await call({ ...next, preview: true });
  assert.equal(preview.status, 200);
  assert.ok(preview.body.stops.some((one: { id: number; status: string }) => one.id === id && one.status === 'approved'));
  const total = preview.body.stops.reduce((sum: number, one: { amount_cents: number }) => sum + one.amount_cents, 0);
  assert.equal(preview.body.total_cents, total);
  assert.equal((await me.get(PATH)).body.last_four, '6789');
  assert.deepEqual((await call({ ...next, account_number: '1', preview: true })).status, 422);

  // The same change with `resubmit` sends the request to its approver, who has to name the new account.
  assert.equal((await put(me, { account_number: '777888999', resubmit: true })).status, 200);
  const seen = (await approver.get(`/api/disbursements/${id}`)).body;
  const { version, ...account } = seen.payee_account;
  assert.deepEqual(account, {
    last_four: '8999',
    changed_at: now.toISOString(),
    changed_since_approval: true,
    previous_last_four: '6789',
  });
  assert.equal(seen.status, 'submitted');
  assert.equal((await me.get(`/api/disbursements/${id}`)).body.payee_account, null, 'only the approver gets it');
  const approve = (account_seen?: string) =>
    approver.post(`/api/disbursements/${id}/approve`, { version: seen.version, account_seen });
  for (const wrong of [undefined, '1'])
    assert.deepEqual([(await approve(wrong)).status, (await approve(wrong)).body.code], [409, 'account_changed'], String(wrong));
  assert.equal((await approve(version)).body.status, 'approved');
});

test('[BANK-9, HOME-1] home lists every request that was approved for a replaced account, and the newest 20 others', async () => {
  const [me, approver] = [await api.as('surrogate'), await api.as('parent')];
  const id = await bringTo(api, { maker: me, checker: approver }, 'approved');
  assert.equal((await put(me, { account_number: '111222333', resubmit: true })).status, 200);
  const copy = (account: string) =>
    api.pool.query(
      `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
         submitted_at, approver_id, approved_account_id)
       select case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by, submitted_at, approver_id,
              ${account} from disbursement_request, generate_series(1, 21) where id = $1`,
      [id],
    );
  await copy('approved_account_id');
  await copy('null');
  const { decisions } = (await approver.get('/api/home')).body;
  const isChanged = (one: { payee_account: { changed_since_approval: boolean } }) => one.payee_account.changed_since_approval;
  assert.deepEqual(
    [true, false].map((changed) => decisions.filter((one: Parameters<typeof isChanged>[0]) => isChanged(one) === changed).length),
    [23, 20],
    'the copies and both requests of these tests',
  );
});

test('[BANK-1] the account of an owner or representative belongs to a company, and all others to a person', async () => {
  const kinds: Record<string, string> = {};
  for (const name of ['rep', 'manager', 'parent'] as const) {
    const client = await api.as(name);
    assert.equal((await put(client)).status, 200, name);
    const { rows } = await api.pool.query('select holder_kind from payee_bank_account where user_id = $1', [client.userId]);
    kinds[name] = rows[0].holder_kind;
  }
  assert.deepEqual(kinds, { rep: 'company', manager: 'person', parent: 'person' });
});
