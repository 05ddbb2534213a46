import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { CASE_2 } from '../../support/cast.ts';
import { bringTo, decide, fundCase } from '../../support/money.ts';
import { joinPersons, partPersons } from '../../support/persons.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';
import { ACCOUNT, BANK, gather, openDesk, press, problemOf, sign, step } from '../batches/batches-desk.ts';
import type { Page } from '../start-admin.ts';

const { api, surrogate, parent, root, finance, putAccount, approved } = await openDesk();
const { root: rootApi, finance: financeApi, manager } = await api.everyone();
await putAccount(surrogate);
assert.equal((await root.post('/batches/bank', BANK)).status, 303);

/** Makes records one person's during some work, by a phone number that each has confirmed (PERSON-1). */
async function asOnePerson(ids: readonly number[], work: () => Promise<void>): Promise<void> {
  await joinPersons(api.pool, ids);
  try {
    await work();
  } finally {
    await partPersons(api.pool, ids);
  }
}

/** Requires that the table rejects a statement by itself, with this constraint. */
const byTable = (text: string, values: unknown[], constraint: string) =>
  assert.rejects(api.pool.query(text, values), { constraint });

describe('requests', () => {
  test('[PERSON-1] a record that shares a confirmed phone number with the maker decides nothing, in code and in the table', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    await asOnePerson([surrogate.userId, rootApi.userId], async () => {
      for (const command of ['approve', 'deny'] as const) {
        const refused = await decide(rootApi, id, command, { reason: 'No' });
        assert.deepEqual([refused.status, refused.body.code], [403, 'same_person']);
      }
      const change = 'update disbursement_request set approver_id = $2 where id = $1';
      await byTable(change, [id, rootApi.userId], 'maker_is_never_checker');
    });
    assert.equal((await decide(rootApi, id, 'approve')).status, 200, 'another person may');
  });

  test('[PERSON-1] records are one person also through a third record', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    const { rows } = await api.pool.query(
      `insert into user_account (email_address, user_type, confirmed_phone, status)
       values ('root@demo.test', 'owner', '+12025550177', 'deactivated') returning id`,
    );
    await joinPersons(api.pool, [surrogate.userId], '+12025550177');
    assert.equal((await decide(rootApi, id, 'approve')).body.code, 'same_person');
    await api.pool.query('delete from user_account where id = $1', [rows[0].id]);
    assert.equal((await decide(rootApi, id, 'approve')).body.code, 'same_person', 'and stay one without it');
    await partPersons(api.pool, [surrogate.userId]);
    assert.equal((await decide(rootApi, id, 'approve')).status, 200);
  });

  test('[PERSON-1, APPROVER-1] one address on two records is one person: staff, not the same person as parent, decide about the surrogate’s request', async () => {
    await fundCase(api, CASE_2, 100_000);
    const [maker, same] = await api.people('bothSurrogate', 'bothParent');
    const path = `/api/cases/${CASE_2}/disbursements`;
    const { body } = await maker.post(path, { amount_cents: 100, category: 'Travel', description: 'Bus' });
    const answer = await maker.post(`/api/disbursements/${body.id}/submit`);
    assert.deepEqual([answer.status, answer.body.approver], [200, null]);
    assert.equal((await decide(same, body.id, 'approve')).body.code, 'same_person');
    assert.equal((await decide(rootApi, body.id, 'approve')).status, 200);
  });

  test('[PERSON-5] the payee does not decide, whoever wrote the request', async () => {
    const payee = { user_type: 'intended_parent', user_id: parent.userId };
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted', { payee });
    assert.equal((await decide(parent, id, 'approve')).body.code, 'same_person');
    const change = 'update disbursement_request set approver_id = $2 where id = $1';
    await byTable(change, [id, parent.userId], 'maker_is_never_checker');
  });

  test('[PERSON-4] a number counts once its owner has confirmed it, and stays theirs', async () => {
    const phoneOf = async () =>
      (await api.pool.query('select confirmed_phone from user_account where id = $1', [manager.userId])).rows[0].confirmed_phone;
    const set = (change: string) => api.pool.query(`update user_account set ${change} where id = $1`, [manager.userId]);
    await set(`phone = '+12025550166'`);
    assert.equal(await phoneOf(), null, 'written down is not proved');
    await set(`two_factor_method = 'sms'`);
    await set(`two_factor_method = null, phone = null`);
    assert.equal(await phoneOf(), '+12025550166');
    await partPersons(api.pool, [manager.userId]);
  });
});

describe('records that were one person stay one', () => {
  const isOne = async (one: number, other: number) => {
    const { rows } = await api.pool.query('select is_person_among($1, array[$2::bigint]) as is_one', [one, other]);
    return rows[0].is_one;
  };
  const set = (id: number, change: string) => api.pool.query(`update user_account set ${change} where id = $1`, [id]);
  const add = async (user_type: string, status = 'active', address = 'root@demo.test', pool: Pick<pg.Pool, 'query'> = api.pool) =>
    (
      await pool.query(`insert into user_account (email_address, user_type, status) values ($1, $2, $3) returning id`, [
        address,
        user_type,
        status,
      ])
    ).rows[0].id;

  test('[PERSON-4] records stay one person when a second number is confirmed, and every confirmed number counts', async () => {
    const ids = [rootApi.userId, financeApi.userId, manager.userId];
    await joinPersons(api.pool, ids.slice(0, 2), '+12025550155');
    await joinPersons(api.pool, [rootApi.userId]);
    await set(rootApi.userId, `phone = '+12025550166', two_factor_method = 'sms'`);
    assert.equal(await isOne(rootApi.userId, financeApi.userId), true);
    await joinPersons(api.pool, [manager.userId]);
    assert.equal(await isOne(rootApi.userId, manager.userId), true, 'a number of before is still theirs');
    await set(rootApi.userId, 'two_factor_method = null, phone = null');
    await partPersons(api.pool, ids);
    assert.equal(await isOne(rootApi.userId, financeApi.userId), false);
  });

  test('[PERSON-3] records stay one person when one leaves their address, unless no one ever signed in to it', async () => {
    const [used, invited] = [await add('owner'), await add('cm', 'invited')];
    await set(used, `email_address = 'used@elsewhere.test'`);
    assert.deepEqual([await isOne(rootApi.userId, used), await isOne(rootApi.userId, invited)], [true, true]);
    await set(invited, `email_address = 'mistaken@elsewhere.test'`);
    assert.deepEqual([await isOne(rootApi.userId, used), await isOne(rootApi.userId, invited)], [true, false]);
    const later = await add('owner');
    assert.equal(await isOne(used, later), true, 'also with what comes to the address later');
    await api.pool.query('delete from user_account where id = any($1::bigint[])', [[used, invited, later]]);
  });

  test('[PERSON-1, PERSON-3] records become one person when two come to one address at the same moment', async () => {
    const [ip, [adding]] = await inOpenTransaction(api.pool, async (first) => {
      const ip = await add('ip', 'active', 'at-once@elsewhere.test', first);
      const adding = add('owner', 'active', 'at-once@elsewhere.test');
      await untilWaiting(api.pool, [adding]);
      await first.query('commit');
      return [ip, [adding]] as const;
    });
    assert.equal(await isOne(ip, await adding), true);
  });
});

describe('bank accounts set by staff', () => {
  test('[BANK-2, BANK-6] a first account set by staff also waits 48 hours and is announced, and its writer decides nothing about it', async () => {
    const waiting = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    const before = await bringTo(api, { maker: manager, checker: parent }, 'approved');
    await api.pool.query('update user_account set phone = $2 where id = $1', [manager.userId, '+12025550155']);
    const path = `/bank-accounts/${manager.userId}`;
    const form = await root.get(path);
    assert.equal((await root.fill(form, path, ACCOUNT)).status, 303);
    const { rows } = await api.pool.query(
      `select extract(epoch from usable_from - created_at)::int as cools from payee_bank_account where user_id = $1`,
      [manager.userId],
    );
    assert.deepEqual(rows, [{ cools: 48 * 3600 }]);
    const notices = await api.pool.query(
      `select channel from delivery where user_id = $1 and event = 'bank_account_changed' order by channel`,
      [manager.userId],
    );
    assert.deepEqual(
      notices.rows.map(({ channel }) => channel),
      ['email', 'sms'],
    );
    assert.equal((await manager.get(`/api/disbursements/${before}`)).body.status, 'draft', 'approved without it');
    assert.equal((await decide(rootApi, waiting, 'approve')).body.code, 'same_person');
    const change = 'update disbursement_request set approver_id = $2 where id = $1';
    await byTable(change, [waiting, rootApi.userId], 'maker_is_never_checker');
    assert.equal((await decide(parent, waiting, 'approve')).status, 200);
    await api.pool.query('update payee_bank_account set usable_from = created_at where user_id = $1', [manager.userId]);
    const batch = await gather(finance, [waiting]);
    const refused = await press(api, root, batch, 'approve');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /an account that’s yours or that you entered/);
    const approve = 'update banking_batch set approved_by = $2 where id = $1';
    await byTable(approve, [batch.split('/')[2], rootApi.userId], 'maker_never_approves');
    const signing = `insert into batch_signature (batch_id, user_id, file_sha256) values ($1, $2, sha256('x'))`;
    await byTable(signing, [batch.split('/')[2], rootApi.userId], 'signers_are_two');
  });

  test('[PERSON-6] a form that showed another account is shown again, and nothing changes', async () => {
    const path = `/bank-accounts/${surrogate.userId}`;
    const form = await root.get(path);
    await putAccount(surrogate, { account_number: '4444555566' });
    const refused = await root.fill(form, path, { ...ACCOUNT, account_number: '99998888' });
    assert.deepEqual([refused.status, /5566/.test(refused.text)], [409, true]);
    assert.match(problemOf(refused), /^This account changed after/);
    assert.equal((await root.post(path, ACCOUNT)).status, 422, 'no version');
    await api.pool.query('update payee_bank_account set usable_from = created_at');
  });
});

describe('batches', () => {
  test('[BATCH-4] a batch is approved with the list that was seen, and after a change it is shown again', async () => {
    const path = await gather(finance, [await approved(), await approved()]);
    const page = await root.get(path);
    const [gone] = [...page.text.matchAll(/name="disbursement_id" value="(\d+)"/g)].map(([, id]) => id ?? '');
    await api.pool.query(
      `update banking_batch_entry set released_at = now() where id = (select min(id) from banking_batch_entry where batch_id = $1)`,
      [path.split('/')[2]],
    );
    const refused = await root.fill(page, `${path}/approve`);
    assert.deepEqual([refused.status, gone === ''], [409, false]);
    assert.match(problemOf(refused), /^This batch changed after you opened it/);
    assert.equal((await root.post(`${path}/approve`)).status, 422, 'nothing named');
    assert.equal((await press(api, root, path, 'approve')).status, 303);
  });

  test('[BANK-6, BATCH-3] a person who entered an account that a batch pays to neither signs its file nor releases it', async () => {
    const path = await gather(finance, [await approved()]);
    await step(root, path, 'approve');
    await step(finance, path, 'generate');
    const enteredBy = (id: number) =>
      api.pool.query('update payee_bank_account set created_by = $2 where user_id = $1 and replaced_at is null', [
        surrogate.userId,
        id,
      ]);
    const refused = async (name: string) => {
      await enteredBy(rootApi.userId);
      const answer = await press(api, root, path, name);
      assert.deepEqual([answer.status, /or that you entered/.test(problemOf(answer))], [403, true], name);
      await enteredBy(surrogate.userId);
    };
    await refused('sign');
    await sign(finance, path);
    await sign(root, path);
    await refused('hand-out');
    await step(root, path, 'hand-out');
  });

  test('[BATCH-4] approving, making a file, recording its outcome, and settling name what was seen', async () => {
    const path = await gather(finance, [await approved()]);
    const other = { sha256: '0'.repeat(64) };
    assert.equal((await root.post(`${path}/approve`, other)).status, 409);
    await step(root, path, 'approve');
    assert.equal((await finance.post(`${path}/generate`)).status, 422, 'nothing named');
    assert.equal((await finance.post(`${path}/generate`, other)).status, 409);
    await step(finance, path, 'generate');
    await sign(finance, path);
    await sign(root, path);
    await step(root, path, 'hand-out');
    const said = { outcome: 'accepted', note: 'Confirmation 1' };
    assert.equal((await root.post(`${path}/outcome`, said)).status, 422, 'nothing named');
    assert.equal((await root.post(`${path}/outcome`, { ...said, ...other })).status, 409);
    await step(root, path, 'outcome', said);
    assert.equal((await root.post(`${path}/settle`)).status, 422, 'nothing named');
    // Only the changed content can be the reason for the rejection.
    const refused = await press(api, root, path, 'settle', other);
    assert.deepEqual([refused.status, /changed after you opened it/.test(problemOf(refused))], [409, true]);
    await step(root, path, 'settle');
  });
});

test('[PERSON-6] the company’s bank is changed as it was seen', async () => {
  const { version: _, ...fields } = BANK;
  const rename = (page: Page, bank_name: string) => root.fill(page, '/batches/bank', { ...fields, bank_name });
  const seen = await root.get('/batches/bank');
  assert.equal((await root.post('/batches/bank', fields)).status, 422, 'nothing named');
  assert.equal((await rename(seen, 'Second Bank')).status, 303);
  const late = await rename(seen, 'Third Bank');
  assert.equal(late.status, 409);
  assert.match(problemOf(late) ?? '', /changed after you opened the page/);
  assert.match(late.text, /value="Second Bank"/, 'it is shown as it is');
  assert.equal((await rename(late, 'Third Bank')).status, 303);
});
