import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { triggerPush } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { TEST_SECRETS } from '../support/database.ts';
import { bringTo, fundCase, move } from '../support/money.ts';
import { type Client, startApi } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

const sink = await startSink();
const api = await startApi();
await fundCase(api, CASE_1, 1_000_000);
const [surrogate, parent, parent2] = await Promise.all([api.as('surrogate'), api.as('parent'), api.as('parent2')]);
const devices = new Map<string, PushDevice>();

async function subscribe(who: Client, path: string): Promise<void> {
  const device = new PushDevice();
  devices.set(path, device);
  const body = { enabled: true, endpoint: `${sink.origin}${path}`, keys: device.keys };
  assert.equal((await who.post('/api/notifications/subscribe', body)).status, 200);
}

/** The pushes that each device got since the last call, and their records. */
async function takePushes() {
  const arrived = sink.received
    .splice(0)
    .map(({ path, body }) => ({ path, payload: devices.get(path)?.read(body) }))
    .sort((a, b) => a.path.localeCompare(b.path));
  const { rows } = await api.pool.query(
    "select user_id, recipient, subject, state, attempts from delivery where channel = 'push' order by user_id, id",
  );
  await api.pool.query('delete from delivery');
  return { arrived, recorded: rows };
}

beforeEach(async () => {
  await api.work();
  await api.pool.query('delete from push_subscription');
  await takePushes();
});

test('[NOTIFY-3] an approval is pushed as POST /internal/notification/send pushes: same people, devices, payload, and record', async () => {
  await subscribe(surrogate, '/phone');
  await subscribe(surrogate, '/tablet');
  await subscribe(parent2, '/other');
  const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  await api.work();
  await takePushes();
  await move(parent, id, 'approve');
  await api.work();
  const byEvent = await takePushes();
  assert.deepEqual(
    byEvent.arrived.map(({ path }) => path),
    ['/other', '/phone', '/tablet'],
  );
  const first = byEvent.arrived[0]?.payload;
  assert.ok(first);
  const { title, body, data, tag } = first;
  const recipients = [
    { user_type: 'surrogate', user_id: surrogate.userId },
    { user_type: 'intended_parent', user_id: parent.userId },
    { user_type: 'intended_parent', user_id: parent2.userId },
  ];
  const answer = await api.anonymous.post(
    '/internal/notification/send',
    { recipients, title, body, url: data.url, tag },
    { 'x-master-api-key': TEST_SECRETS.masterApiKey },
  );
  assert.deepEqual(answer.body, { sent: 3, failed: 0, removed: 0 });
  assert.deepEqual(await takePushes(), byEvent);
});

test('[NOTIFY-3, PUSH-14] pushes that the endpoint would reject cannot be sent by a platform event, and are not recorded', async () => {
  await subscribe(surrogate, '/phone');
  const recipients = [{ user_type: 'surrogate' as const, user_id: surrogate.userId }];
  const notification = { title: 'Paid', body: 'It has arrived.' };
  const push = { key: 'refused', event: 'payment_arrived' as const, recipients, notification };
  const refused = [
    { ...push, recipients: [...recipients, { user_type: 'surrogate' as const, user_id: 999_999 }] },
    { ...push, recipients: [{ user_type: 'admin' as const, user_id: surrogate.userId }] },
    ...['https://evil.test', '//evil.test', '/\\evil.test'].map((url) => ({
      ...push,
      notification: { ...notification, url },
    })),
    { ...push, notification: { ...notification, icon: '//evil.test/x.png' } },
    { ...push, notification: { ...notification, title: '' } },
    { ...push, notification: { ...notification, title: 'x'.repeat(201) } },
    { ...push, notification: { ...notification, body: 'x'.repeat(1001) } },
    { ...push, notification: { ...notification, body: '€'.repeat(1000) } },
  ];
  for (const wrong of refused)
    await assert.rejects(
      api.db.transaction((tx) => triggerPush(tx, wrong)),
      { status: 422 },
      JSON.stringify(wrong).slice(0, 200),
    );
  await api.work();
  assert.deepEqual(await takePushes(), { arrived: [], recorded: [] });
  await api.db.transaction((tx) => triggerPush(tx, push));
  await api.db.transaction((tx) => triggerPush(tx, push));
  await api.work();
  assert.equal((await takePushes()).arrived.length, 1, 'it arrives once');
});
