import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { type Client, startApi } from '../support/platform.ts';

/** People may leave between a message and its mail. Only those who are still there are mailed. */

const api = await startApi();
const { parent, surrogate, escrow } = await api.everyone();
const sql = (text: string, ...values: unknown[]) => api.pool.query(text, values);
const subjects: string[] = [];
const email: EmailProvider = { name: 'mailpit', send: async ({ to }) => `mail-${subjects.push(to)}` };

/** Returns the recipients that were mailed, after checking that only their mails were recorded. */
async function mailedAfter(happens: (message: { id: number; chain_id: number }) => Promise<unknown>): Promise<string[]> {
  const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
  const { status, body } = await parent.form('/api/messages', {
    message: 'A message',
    case_id: String(CASE_1),
    recipients,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await happens(body.message);
  await api.work({ email });
  const mailed = subjects.splice(0).sort();
  const { rows } = await sql(
    `select recipient from delivery where channel = 'email' and delivery_key like $1`,
    `message:${body.message.id}:%`,
  );
  assert.deepEqual(rows.map(({ recipient }) => recipient).sort(), mailed);
  return mailed;
}
const close = (who: Client) => sql("update user_account set status = 'deactivated' where id = $1", who.userId);

beforeEach(() => sql("update user_account set status = 'active' where status = 'deactivated'"));

test('[EMAIL-2] a message is mailed to its recipient and the assigned admin, not to its sender', async () => {
  assert.deepEqual(await mailedAfter(async () => {}), ['escrow@demo.test', 'surrogate@demo.test']);
});

test('[EMAIL-2] a sender who has a mark of their own on the message gets no mail', async () => {
  const mark = ({ id, chain_id }: { id: number; chain_id: number }) =>
    sql('insert into message_recipient (message_id, user_id, chain_id) values ($1, $2, $3)', id, parent.userId, chain_id);
  assert.deepEqual(await mailedAfter(mark), ['escrow@demo.test', 'surrogate@demo.test']);
});

test('[EMAIL-2, NOTIFY-9] a person who leaves the conversation before the mail is sent gets none', async () => {
  const leave = ({ chain_id }: { chain_id: number }) =>
    sql('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', chain_id, surrogate.userId);
  assert.deepEqual(await mailedAfter(leave), ['escrow@demo.test']);
});

test('[EMAIL-2, NOTIFY-9] a person whose account is closed before the mail is sent gets none', async () => {
  assert.deepEqual(await mailedAfter(() => close(surrogate)), ['escrow@demo.test']);
  await sql("update user_account set status = 'active' where status = 'deactivated'");
  assert.deepEqual(await mailedAfter(() => close(escrow)), ['surrogate@demo.test']);
});

test('[EMAIL-2] a message that is assigned to another admin meanwhile is mailed to that one', async () => {
  const reassign = ({ chain_id }: { chain_id: number }) =>
    sql(
      `update message_chain set assigned_admin_id = (select id from user_account where email_address = 'root@demo.test')
        where id = $1`,
      chain_id,
    );
  assert.deepEqual(await mailedAfter(reassign), ['root@demo.test', 'surrogate@demo.test']);
});

test('[MESSAGE-6, NOTIFY-9] a message that was retracted before its mail was sent is mailed to no one', async () => {
  const retract = async ({ id, chain_id }: { id: number; chain_id: number }) =>
    assert.equal((await parent.call('DELETE', `/api/messages/${chain_id}/${id}`)).status, 200);
  assert.deepEqual(await mailedAfter(retract), []);
});

test('[NOTIFY-9] a queued mail for someone whose account is closed is not sent', async () => {
  await parent.form('/api/messages', { message: 'A message', case_id: String(CASE_1) });
  // The mail is recorded while its provider is away, and then the account is closed.
  const away: EmailProvider = { name: 'mailpit', send: () => Promise.reject(new Error('away')) };
  await api.work({ email: away });
  await close(escrow);
  await api.retryNow();
  await api.work({ email });
  assert.deepEqual(subjects.splice(0), []);
  const { rows } = await sql('select state from delivery order by id desc limit 1');
  assert.equal(rows[0].state, 'suppressed');
});

const QUEUED: Record<string, (message: { id: number; chain_id: number }) => Promise<unknown>> = {
  'leaves the chain': ({ chain_id }) =>
    sql('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', chain_id, surrogate.userId),
  'would get a retracted message': ({ id, chain_id }) => escrow.call('DELETE', `/api/messages/${chain_id}/${id}`),
};
for (const [what, happens] of Object.entries(QUEUED)) {
  test(`[NOTIFY-9] a queued mail and push are not sent to someone who ${what}`, async () => {
    const away: EmailProvider = { name: 'mailpit', send: () => Promise.reject(new Error('away')) };
    await sql(
      `insert into push_subscription (user_id, user_type, endpoint, p256dh, auth, vapid_key_id)
       values ($1, 'surrogate', 'http://127.0.0.1:1/' || gen_random_uuid(), 'x', 'x', 'x')`,
      surrogate.userId,
    );
    const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
    const fields = { message: 'A message', case_id: String(CASE_1), recipients };
    const { body } = await escrow.form('/api/messages', fields);
    const states = async () => {
      const { rows } = await sql(
        `select channel || ' ' || state as state from delivery
          where delivery_key like $1 and user_id = $2 order by channel`,
        `message:${body.message.id}:%`,
        surrogate.userId,
      );
      return rows.map(({ state }) => state);
    };
    // Both are recorded, and then the person loses the message before the jobs run.
    await api.work({ email: away, push: null as never });
    assert.deepEqual(await states(), ['email queued', 'push queued']);
    await happens(body.message);
    await api.retryNow();
    await api.work({ email });
    assert.deepEqual(await states(), ['email suppressed', 'push suppressed']);
    assert.deepEqual(
      subjects.splice(0).filter((address) => address === 'surrogate@demo.test'),
      [],
    );
    await sql('delete from push_subscription where user_id = $1', surrogate.userId);
  });
}
