import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { CASE_2, CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { decide, fundCase } from '../../support/money.ts';
import { Client, startApi } from '../../support/platform.ts';

/** Changing one's own email address: the link goes to the new address, and the previous one is notified. */

const api = await startApi();
const ask = (who: Client, email_address: string) => who.post('/api/user/me/email', { email_address });
const waiting = async (who: Client) => (await who.get('/api/user/me')).body.waiting_address;
const confirm = (token: string) => api.anonymous.post('/api/user/auth/address/confirm', { token });
const login = (name: CastName, email_address: string) => {
  const { user_type } = CAST[name];
  return api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash: passwordOf(name) });
};

/** Returns the mails since the last call, by event and recipient. */
async function mails(): Promise<{ recipient: string; event: string; text: string }[]> {
  await api.work();
  const { rows } = await api.pool.query(
    `select recipient, event, content->>'text' as text from delivery where channel = 'email' order by event, recipient`,
  );
  await api.pool.query('delete from delivery');
  return rows;
}
const tokenIn = (text = '') => /token=([\w-]+)/.exec(text)?.[1] ?? '';

beforeEach(async () => {
  await api.pool.query('delete from delivery');
  await api.pool.query('delete from throttle');
});

test('[ADDRESS-1, ADDRESS-2] the link goes to the new address, the previous one is notified, and until it is followed nothing changes', async () => {
  const parent = await api.as('parent');
  const answer = await ask(parent, ' New.Parent@Elsewhere.test ');
  assert.equal(answer.status, 202);
  const [notice, link, ...more] = await mails();
  assert.deepEqual([notice?.event, notice?.recipient, more.length], ['address_changed', 'parent@demo.test', 0]);
  assert.deepEqual([link?.event, link?.recipient], ['address_link', 'new.parent@elsewhere.test']);
  assert.doesNotMatch(notice?.text ?? '', /token=/);
  const { email_address, expires_at } = await waiting(parent);
  assert.equal(email_address, 'new.parent@elsewhere.test');
  assert.ok(Date.parse(expires_at) > Date.now() + 71 * 3_600_000);
  assert.equal((await login('parent', 'parent@demo.test')).status, 200);
  assert.equal((await login('parent', 'new.parent@elsewhere.test')).status, 401);

  assert.equal((await confirm(tokenIn(link?.text))).status, 200);
  assert.equal((await login('parent', 'new.parent@elsewhere.test')).status, 200);
  assert.equal((await login('parent', 'parent@demo.test')).status, 401);
  assert.equal((await parent.get('/api/user/me')).status, 401, 'tokens name the address');
  assert.deepEqual(
    (await mails()).map(({ event, recipient }) => [event, recipient]),
    [
      ['address_changed', 'new.parent@elsewhere.test'],
      ['address_changed', 'parent@demo.test'],
    ],
  );
  const { rows } = await api.pool.query(
    `select action, before, after from audit_entry
      where action like 'user.%address' and before->>'email_address' = 'parent@demo.test' order by id`,
  );
  const [before, after] = [{ email_address: 'parent@demo.test' }, { email_address: 'new.parent@elsewhere.test' }];
  assert.deepEqual(rows, [
    { action: 'user.request_address', before, after },
    { action: 'user.confirm_address', before, after },
  ]);
});

test('[ADDRESS-3] a later request ends the previous link', async () => {
  const person = await api.as('surrogate');
  await ask(person, 'one@elsewhere.test');
  const [, first] = await mails();
  await ask(person, 'two@elsewhere.test');
  const [, second] = await mails();
  assert.equal((await waiting(person)).email_address, 'two@elsewhere.test');
  assert.equal((await confirm(tokenIn(first?.text))).status, 422);
  assert.equal((await confirm(tokenIn(second?.text))).status, 200);
});

test('[ADDRESS-3] the link of an account that was deactivated meanwhile changes nothing', async () => {
  const person = await api.as('manager');
  await ask(person, 'manager@elsewhere.test');
  const [, link] = await mails();
  const setStatus = (status: string) =>
    api.pool.query(`update user_account set status = $1 where id = $2`, [status, person.userId]);
  await setStatus('deactivated');
  assert.equal((await confirm(tokenIn(link?.text))).status, 422);
  await setStatus('active');
  assert.equal((await login('manager', 'manager@demo.test')).status, 200);
});

test('[ADDRESS-1] a code that was mailed to the previous address no longer signs in', async () => {
  const person = await api.as('mailotp');
  await ask(person, 'code@elsewhere.test');
  const link = (await mails()).find(({ event }) => event === 'address_link');
  const [before, meanwhile] = [await login('mailotp', 'mailotp@demo.test'), await login('mailotp', 'mailotp@demo.test')];
  const enter = async ({ body }: typeof before, code: string) =>
    (await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token: body.tfa_token, code })).status;
  const codes = (await mails()).map(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? '');
  // The mails do not say which sign-in their code is for, so both codes are tried.
  const isRight = (await Promise.all(codes.map((code) => enter(before, code)))).includes(200);
  assert.ok(isRight, 'until then a code works');
  assert.equal((await confirm(tokenIn(link?.text))).status, 200);
  for (const code of codes) assert.equal(await enter(meanwhile, code), 401);
});

test('[ADDRESS-4] the answer does not reveal whose addresses exist, and no link goes there', async () => {
  const person = await api.as('bothParent');
  const [free, taken] = [await ask(person, 'free@elsewhere.test'), await ask(person, 'parent2@demo.test')];
  assert.deepEqual([taken.status, taken.body], [free.status, free.body]);
  assert.equal((await waiting(person)).email_address, 'parent2@demo.test', 'the profile tells no more');
  assert.deepEqual(
    (await mails()).map(({ event, recipient }) => [event, recipient]),
    [
      ['address_changed', 'both@demo.test'],
      ['address_changed', 'both@demo.test'],
      ['address_link', 'free@elsewhere.test'],
    ],
  );
  // The same address with another user type is a different pair (LAYER-2).
  assert.equal((await ask(person, 'manager@demo.test')).status, 202);
  assert.ok((await mails()).some(({ event, recipient }) => event === 'address_link' && recipient === 'manager@demo.test'));
});

test('[ACCOUNT-6] an invalid address, and the current one, are rejected at the field', async () => {
  const person = await api.as('rep');
  for (const wrong of ['x@', 'no address', 'a@b\r\nBcc: x@evil.test', 'ä@demo.test', 'rep@demo.test', 'REP@demo.test']) {
    const refused = await ask(person, wrong);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [422, 'email_address'], wrong);
  }
  assert.equal(await waiting(person), null);
  assert.deepEqual(await mails(), []);
  assert.equal((await ask(api.anonymous, 'x@elsewhere.test')).status, 401);
});

test('[RATE-4] three links in 15 minutes, then 429', async () => {
  const person = await api.as('owner');
  for (let at = 0; at < 3; at += 1) assert.equal((await ask(person, `${at}@elsewhere.test`)).status, 202);
  const refused = await ask(person, '3@elsewhere.test');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 800);
  assert.equal((await waiting(person)).email_address, '2@elsewhere.test');
});

test('[PERSON-3] someone who moves one of two records is still one person: one record cannot approve the other’s request', async () => {
  await fundCase(api, CASE_2, 100_000);
  const [maker, same] = await api.people('bothSurrogate', 'bothParent');
  const send = async () => {
    const cost = { amount_cents: 100, category: 'Travel', description: 'Bus' };
    const { body } = await maker.post(`/api/cases/${CASE_2}/disbursements`, cost);
    return (await maker.post(`/api/disbursements/${body.id}/submit`)).body;
  };
  const before = await send();
  await ask(same, 'apart@elsewhere.test');
  const link = (await mails()).find(({ event }) => event === 'address_link');
  assert.equal((await confirm(tokenIn(link?.text))).status, 200);
  const { body } = await login('bothParent', 'apart@elsewhere.test');
  const client = new Client(api.baseUrl, body.access_token, same.userId);
  for (const { id, approver } of [before, await send()]) {
    assert.equal(approver, null, 'they are not asked');
    assert.equal((await decide(client, id, 'approve')).body.code, 'same_person');
    const change = 'update disbursement_request set approver_id = $2 where id = $1';
    await assert.rejects(api.pool.query(change, [id, same.userId]), { constraint: 'maker_is_never_checker' });
  }
  assert.equal((await decide(await api.as('root'), before.id, 'approve')).status, 200);
});

test('[RATE-4] five other phone numbers in an hour, and 30 other bank accounts, then 429; unchanged values do not count', async () => {
  const person = await api.as('owner');
  const json = (method: string, path: string, body: object) =>
    person.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const setPhone = (at: number | string) => json('PATCH', '/api/user/me', { phone: `+1202555017${at}` });
  const setAccount = (at: number, routing_number = '021000021') => {
    const account = { routing_number, account_number: `98765${at}`, account_kind: 'checking' };
    return json('PUT', '/api/user/me/bank-account', { holder_name: 'Some One', ...account });
  };
  for (const [set, most, written] of [
    [setPhone, 5, 'select phone as present from user_account where id = $1'],
    [setAccount, 30, 'select id as present from payee_bank_account where user_id = $1 and replaced_at is null'],
  ] as const) {
    const present = async () => (await api.pool.query(written, [person.userId])).rows[0].present;
    // Each value is set twice, and the second time does not count because nothing changes.
    for (const at of [0, 0, 1, 1, 2, 2, 3, 3]) assert.equal((await set(at)).status, 200);
    const counted = await api.pool.query('update throttle set points = $1 where points = 4', [most - 1]);
    assert.equal(counted.rowCount, 1);
    assert.equal((await set(4)).status, 200);
    const before = await present();
    await mails();
    const refused = await set(5);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 3500);
    assert.equal(await present(), before);
    assert.deepEqual(await mails(), []);
    // The hour is over.
    await api.pool.query('update throttle set expire = 0');
    assert.equal((await set(5)).status, 200);
  }
  await api.pool.query('delete from throttle');
  for (let at = 0; at < 2; at += 1) assert.equal((await setAccount(at, '000000000')).status, 422);
  assert.equal((await setAccount(6)).status, 200);
  const { rows } = await api.pool.query('select points from throttle');
  assert.deepEqual(rows, [{ points: 1 }], 'refused ones do not count');
});
