import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { pushMessage } from '@case-platform/modules/messaging';
import { startApi, TEST_VAPID } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

/** Each answer that a push service may give, and what becomes of the device and of the push. */

const sink = await startSink();
const api = await startApi();
const [parent, escrow] = await Promise.all([api.as('parent'), api.as('escrow')]);
/** The pair after a change: what subscribed before is reached with the previous one. */
const NEXT = {
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  privateKey: 'nNdNE6fsxXmR4KE0cUQvGYSbyaKLE0NsUY3eJ0g4sAM',
};

async function after(status: number, { outdated = false } = {}): Promise<string> {
  const keys = new PushDevice().keys;
  const subscribed = { enabled: true, endpoint: `${sink.origin}/phone`, keys };
  assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
  sink.answers.set('/phone', status);
  await parent.form('/api/messages', { message: 'A message' });
  const settings = { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false };
  await api.work(outdated ? { push: { ...settings, ...NEXT, previous: TEST_VAPID } } : {});
  const { rows: devices } = await api.pool.query('select renew_since is not null as renew from push_subscription');
  const { rows: pushes } = await api.pool.query(`select state from delivery where channel = 'push'`);
  const device = devices.length === 0 ? 'gone' : devices[0].renew ? 'to renew' : 'stays';
  return `${pushes[0]?.state}, ${device}`;
}

beforeEach(async () => {
  for (const table of ['push_subscription', 'delivery', 'graphile_worker._private_jobs'])
    await api.pool.query(`delete from ${table}`);
});

test('[Push subscription behaviour 3] [Errors 15] 404 and 410: the device is gone', async () => {
  for (const status of [404, 410]) assert.equal(await after(status), 'failed, gone', String(status));
});

test('[decisions 7] busy or broken: the push waits for another try, the device stays', async () => {
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    assert.equal(await after(status), 'queued, stays', String(status));
    for (const table of ['delivery', 'graphile_worker._private_jobs']) await api.pool.query(`delete from ${table}`);
  }
});

test('[decisions 7] a refusal of the message is final, and the device stays', async () => {
  for (const status of [400, 401, 403, 405, 409, 413, 415, 422]) {
    assert.equal(await after(status), 'failed, stays', String(status));
    await api.pool.query('delete from delivery');
  }
});

test('[decisions 7] a refusal of a key of before asks the device to subscribe again', async () => {
  for (const status of [400, 401, 403]) {
    assert.equal(await after(status, { outdated: true }), 'failed, to renew', String(status));
    await api.pool.query('delete from delivery');
    await api.pool.query('delete from push_subscription');
  }
});

test('[decisions 7] a device that was asked to subscribe again keeps its time when a later push is refused as well', async () => {
  const subscribed = { enabled: true, endpoint: `${sink.origin}/phone`, keys: new PushDevice().keys };
  assert.equal((await escrow.post('/api/notifications/subscribe', subscribed)).status, 200);
  sink.answers.set('/phone', 403);
  await parent.form('/api/messages', { message: 'A message' });
  // The push is recorded, and its device asked by another one, before it is sent.
  const { rows } = await api.pool.query('select max(id) as id from message');
  await pushMessage({ db: api.db, webUrl: '', adminUrl: '' }, { message_id: rows[0].id });
  const asked = new Date(Date.now() - 20 * 86_400_000);
  await api.pool.query('update push_subscription set renew_since = $1', [asked]);
  const settings = { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false };
  await api.work({ push: { ...settings, ...NEXT, previous: TEST_VAPID } });
  const devices = await api.pool.query('select renew_since from push_subscription');
  const pushes = await api.pool.query(`select state from delivery where channel = 'push'`);
  assert.deepEqual([devices.rows, pushes.rows], [[{ renew_since: asked }], [{ state: 'failed' }]]);
});

test('[decisions 7] what somebody has switched off is neither pushed nor mailed, and everything else is', async () => {
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
