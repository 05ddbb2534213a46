import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { createTestDatabase } from '../../support/database.ts';
import { bringTo, fundCase, type RequestFields } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/** The answer reports the result of a command, whatever someone else does between its commit and the answer (REQUEST-10). */

const { inRole, ...database } = await createTestDatabase();
assert.ok(inRole);
const own = inRole('api');
/** Runs right after the next transaction of the API has committed. */
let next: (() => Promise<unknown>) | undefined;
const api = await startApi({
  database: {
    ...own,
    db: {
      ...own.db,
      async transaction(work) {
        const result = await own.db.transaction(work);
        const meanwhile = next;
        next = undefined;
        await meanwhile?.();
        return result;
      },
    },
  },
});
await fundCase(database, CASE_1, 900_000_000);
const { surrogate, parent, escrow } = await api.everyone();

const sql = (text: string, ...values: unknown[]) => database.pool.query(text, values);
const call = (who: Client, method: string, path: string, body?: object) =>
  who.call(method, path, {
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const to = (status: Parameters<typeof bringTo>[2], fields: RequestFields = {}) =>
  bringTo(api, { maker: surrogate, checker: parent }, status, fields);
const path = (id: number, more = '') => `/api/disbursements/${id}${more}`;

/** Makes a call, and runs `meanwhile` as soon as its transaction has committed. */
async function askWhile(meanwhile: () => Promise<unknown>, ask: () => Promise<Answer>): Promise<Answer> {
  next = meanwhile;
  const answer = await ask();
  assert.equal(next, undefined, 'something happened meanwhile');
  return answer;
}

const revise = async (id: number) =>
  assert.equal((await call(surrogate, 'PATCH', path(id), { amount_cents: 1_000 + id })).status, 200);
const setAccount = async (account_number: string) => {
  const account = { holder_name: 'Sarah Lindgren', routing_number: '021000021', account_kind: 'checking' };
  const body = { pass_hash: DEMO_PASSWORD, ...account, account_number };
  assert.equal((await call(surrogate, 'PUT', '/api/user/me/bank-account', body)).status, 200);
};
const leaveCase = (who: Client) =>
  sql('update case_participant set left_at = now() where case_id = $1 and user_id = $2', CASE_1, who.userId);
/** Takes the escrow specialist off the case, and also removes `view_drs` from their role. */
const leaveTeam = async () => {
  await sql('update case_file set escrow_specialist_id = null where id = $1', CASE_1);
  await sql('delete from case_admin where case_id = $1 and user_id = $2', CASE_1, escrow.userId);
  await sql(
    `delete from admin_role_permission p using user_account u
              where u.id = $1 and p.admin_role_id = u.admin_role_id and p.permission = 'view_drs'`,
    escrow.userId,
  );
};

afterEach(async () => {
  await sql('update case_participant set left_at = null');
  await sql('update message_chain_group set left_at = null');
});

test('[REQUEST-10] a person who approves reads that they did, also when the request is a draft again before the answer', async () => {
  const id = await to('submitted');
  const { version } = (await parent.get(path(id))).body;
  const answer = await askWhile(
    () => revise(id),
    () => parent.post(path(id, '/approve'), { version }),
  );
  assert.deepEqual([answer.status, answer.body.status], [200, 'approved']);
  assert.equal((await parent.get(path(id))).status, 404, 'a draft again');
});

test('[REQUEST-10] a person who denies reads that they did, also when they have left since', async () => {
  const id = await to('submitted');
  const { version } = (await parent.get(path(id))).body;
  const answer = await askWhile(
    () => leaveCase(parent),
    () => parent.post(path(id, '/deny'), { version, reason: 'Not covered' }),
  );
  assert.deepEqual([answer.status, answer.body.status], [200, 'denied']);
  assert.equal((await parent.get(path(id))).status, 404, 'they have left');
});

test('[REQUEST-10] a person who approves reads that they did, also when the payee changed the account before the answer', async () => {
  await setAccount('88889999');
  const id = await to('submitted');
  const { version } = (await parent.get(path(id))).body;
  const answer = await askWhile(
    () => setAccount('77770000'),
    () => parent.post(path(id, '/approve'), { version }),
  );
  assert.deepEqual([answer.status, answer.body.status], [200, 'approved']);
  assert.equal((await surrogate.get(path(id))).body.status, 'draft', 'sent back by the change');
});

test('[REQUEST-10] a person who writes, submits, takes back, or discusses a request reads that they did, also when they have left since', async () => {
  const { body } = await surrogate.form('/api/messages', { message: 'About it', case_id: String(CASE_1) });
  const withReceipt = await to('draft');
  const { rows } = await sql(
    `insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
     values ($1, 'bill.pdf', 'application/pdf', 10, 'test/bill', $2) returning id`,
    withReceipt,
    surrogate.userId,
  );
  const steps: [string, number, (id: number) => Promise<Answer>][] = [
    ['draft', await to('draft'), (id) => call(surrogate, 'PATCH', path(id), { amount_cents: 4_321 })],
    ['submitted', await to('draft'), (id) => surrogate.post(path(id, '/submit'))],
    ['cancelled', await to('submitted'), (id) => surrogate.post(path(id, '/cancel'))],
    ['draft', await to('draft'), (id) => call(surrogate, 'PUT', path(id, '/chain'), { chain_id: body.chain.id })],
    ['draft', withReceipt, (id) => call(surrogate, 'DELETE', path(id, `/files/${rows[0].id}`))],
  ];
  for (const [status, id, step] of steps) {
    const answer = await askWhile(
      () => leaveCase(surrogate),
      () => step(id),
    );
    assert.deepEqual([answer.status, answer.body.status], [200, status]);
    assert.equal((await surrogate.get(path(id))).status, 404, 'they have left');
    await sql('update case_participant set left_at = null');
  }
});

test('[REQUEST-10] a person who pays a returned request again reads that they did, also when they have left the case since', async () => {
  const id = await to('returned');
  const answer = await askWhile(leaveTeam, () => escrow.post(path(id, '/retry'), { reason: 'The bank has cleared it' }));
  assert.deepEqual([answer.status, answer.body.status], [200, 'approved']);
  assert.equal((await escrow.get(path(id))).status, 404, 'off the case');
});

test('[REQUEST-10, MESSAGE-6] a person who takes a message back reads that they did, also when they have left since', async () => {
  const { body } = await surrogate.form('/api/messages', { message: 'A slip', case_id: String(CASE_1) });
  const { chain, message } = body;
  const answer = await askWhile(
    () => sql('update message_chain_group set left_at = now() where user_id = $1', surrogate.userId),
    () => call(surrogate, 'DELETE', `/api/messages/${chain.id}/${message.id}`),
  );
  assert.equal(answer.status, 200);
  assert.notEqual(answer.body.message.retracted_at, null);
  assert.equal((await surrogate.get(`/api/messages/${chain.id}`)).status, 404);
});
