import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Executor } from '@case-platform/lib/database';
import { announceMessage } from '@case-platform/modules/messaging';
import { eventually } from '../support/eventually.ts';
import { startApi, TEST_VAPID } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { EVERY_STATUS, startSink } from '../support/sink.ts';

/** Every answer that a push service may give, with its effect on the device and the push. */

const sink = await startSink();
const api = await startApi();
const { parent, escrow } = await api.everyone();
/** The key pair after a change. Earlier subscriptions are reached with the previous pair. */
const NEXT = {
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  privateKey: 'nNdNE6fsxXmR4KE0cUQvGYSbyaKLE0NsUY3eJ0g4sAM',
};
const AFTER_A_CHANGE = {
  push: { ...TEST_VAPID, ...NEXT, previous: TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false },
};

type Answer = Parameters<(typeof sink)['answers']['set']>[1];

async function after(answer: Answer): Promise<string> {
  const keys = new PushDevice().keys;
  const subscribed = { enabled: true, endpoint: `${sink.origin}/phone`, keys };
  assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
  sink.answers.set('/phone', answer);
  await parent.form('/api/messages', { message: 'A message' });
  await api.work();
  const { rows: devices } = await api.pool.query('select from push_subscription');
  const { rows: pushes } = await api.pool.query(`select state from delivery where channel = 'push'`);
  return `${pushes[0]?.state}, ${devices.length === 0 ? 'gone' : 'stays'}`;
}

const clear = async () => {
  for (const table of ['push_subscription', 'delivery', 'graphile_worker._private_jobs'])
    await api.pool.query(`delete from ${table}`);
};

beforeEach(clear);

for (const outdated of [false, true]) {
  const key = outdated ? 'the previous key' : 'today’s key';
  test(`[PUSH-6, PUSH-7, PUSH-12] each status of a push service has one outcome for a device with ${key}`, async () => {
    const outcomeOf = (status: number) => {
      if (status < 300) return 'sent, stays';
      if (status === 404 || status === 410) return 'failed, gone';
      if (outdated && [400, 401, 403].includes(status)) return 'failed, to renew';
      return [408, 425, 429].includes(status) || status >= 500 ? 'queued, stays' : 'failed, stays';
    };
    const subscribed = { enabled: true, endpoint: `${sink.origin}/200`, keys: new PushDevice().keys };
    assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
    // These are more devices than one person may have, so that one message covers all answers.
    await api.pool.query(
      `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id)
       select user_type, user_id, $1 || '/' || status, p256dh, auth, vapid_key_id from push_subscription, unnest($2::int[]) status`,
      [sink.origin, EVERY_STATUS.filter((status) => status !== 200)],
    );
    const before = await api.pool.query(`select id, substring(endpoint from '\\d+$')::int as status from push_subscription`);
    for (const status of EVERY_STATUS) sink.answers.set(`/${status}`, status);
    await parent.form('/api/messages', { message: 'A message' });
    await api.work(outdated ? AFTER_A_CHANGE : {});
    const { rows } = await api.pool.query(`
      select substring(d.delivery_key from '\\d+$')::int as id, d.state,
             case when s.id is null then 'gone' when s.renew_since is null then 'stays' else 'to renew' end as device
        from delivery d left join push_subscription s on d.delivery_key like '%:push:' || s.id where d.channel = 'push'`);
    for (const { id, status } of before.rows) {
      const { state, device } = rows.find((row) => row.id === id) ?? {};
      assert.equal(`${state}, ${device}`, outcomeOf(status), String(status));
    }
    assert.equal(before.rows.length, EVERY_STATUS.length);
  });
}

test('[PUSH-7] a push waits for another try when the connection drops; the body of an answer does not matter', async () => {
  assert.equal(await after('drop'), 'queued, stays');
  for (const body of ['', '<html>', 'endless', 'dripping']) {
    await clear();
    assert.equal(await after({ status: 201, body }), 'sent, stays', body);
  }
});

test('[PUSH-7] a push that is tried again waits as long as Retry-After says, in seconds or as a date, but at most an hour', async () => {
  const inTenMinutes = () => new Date(Date.now() + 600_000).toUTCString();
  for (const [status, header, from, to] of [
    [429, '1200', 1200, 1200],
    [503, inTenMinutes(), 590, 600],
    [429, '86400', 3600, 3600],
    [429, 'soon', 0, 0],
    [503, '', 0, 0],
  ] as const) {
    assert.equal(await after({ status, headers: { 'retry-after': header } }), 'queued, stays');
    // The worker records a failure a moment after the task has ended, and adds its own wait of a few seconds.
    const wait = await eventually('a failed job', async () => {
      const { rows } = await api.pool.query(`
        select extract(epoch from j.run_at - j.updated_at)::float as wait from graphile_worker._private_jobs j
          join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier = 'deliver_push' and j.attempts > 0 and j.locked_at is null`);
      return rows[0]?.wait as number | undefined;
    });
    assert.ok(wait !== undefined && wait > from - 5 && wait < to + 10, `${status} ${header}: ${wait}`);
    await clear();
  }
});

test('[PUSH-12] a device that was asked to subscribe again keeps its time when a later push is rejected, too', async () => {
  const subscribed = { enabled: true, endpoint: `${sink.origin}/phone`, keys: new PushDevice().keys };
  assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
  sink.answers.set('/phone', 403);
  await parent.form('/api/messages', { message: 'A message' });
  // The push is recorded, and another push marks its device for renewal before it is sent.
  const { rows } = await api.pool.query('select max(id) as id from message');
  await announceMessage({ db: api.db, webUrl: '', adminUrl: '' }, { message_id: rows[0].id });
  const renewSince = new Date(Date.now() - 20 * 86_400_000);
  await api.pool.query('update push_subscription set renew_since = $1', [renewSince]);
  await api.work(AFTER_A_CHANGE);
  const devices = await api.pool.query('select renew_since from push_subscription');
  const pushes = await api.pool.query(`select state from delivery where channel = 'push'`);
  assert.deepEqual([devices.rows, pushes.rows], [[{ renew_since: renewSince }], [{ state: 'failed' }]]);
});

test('[PUSH-12] a device that subscribes again while a push with its previous key is rejected stays subscribed', async () => {
  const subscribed = { enabled: true, endpoint: `${sink.origin}/phone`, keys: new PushDevice().keys };
  assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
  sink.answers.set('/phone', 403);
  await parent.form('/api/messages', { message: 'A message' });
  const query: Executor['query'] = async (statement) => {
    const result = await api.db.query(statement);
    if (/from push_subscription s where s.id/.test(statement.text))
      await api.pool.query(`update push_subscription set vapid_key_id = 'of its new subscription'`);
    return result;
  };
  await api.work({ ...AFTER_A_CHANGE, db: { ...api.db, query } });
  const { rows } = await api.pool.query('select vapid_key_id, renew_since from push_subscription');
  assert.deepEqual(rows, [{ vapid_key_id: 'of its new subscription', renew_since: null }]);
});

test('[NOTIFY-5] events that a person turned off are neither pushed nor mailed, and all others are', async () => {
  const set = (enabled: boolean) =>
    api.pool.query(
      `insert into notification_preference (user_id, event, channel, enabled)
       select $1, 'new_message', channel, $2 from unnest(array['email', 'push']) channel
       on conflict (user_id, event, channel) do update set enabled = excluded.enabled`,
      [escrow.userId, enabled],
    );
  await set(false);
  assert.equal(await after(201), 'undefined, stays');
  const { rows } = await api.pool.query(`select state from delivery where channel = 'email'`);
  assert.deepEqual(rows, [{ state: 'suppressed' }]);
  await api.pool.query('delete from delivery');
  await set(true);
  assert.equal(await after(201), 'sent, stays');
});
