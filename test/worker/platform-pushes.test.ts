import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { runInRequest } from '@case-platform/lib/request-context';
import { triggerPush } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { TEST_SECRETS } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { bringTo, fundCase, move } from '../support/money.ts';
import { type Client, startApi } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

const sink = await startSink();
const api = await startApi();
await fundCase(api, CASE_1, 1_000_000);
const { surrogate, parent, parent2 } = await api.everyone();
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

const NOTIFICATION = { title: 'Paid', body: 'It has arrived.' };
const paid = (key: string, notification = NOTIFICATION) => ({
  key,
  event: 'payment_arrived' as const,
  recipients: [{ user_type: 'surrogate' as const, user_id: surrogate.userId }],
  notification,
});
const trigger = (push: Parameters<typeof triggerPush>[1]) => api.db.transaction((tx) => triggerPush(tx, push));

test('[NOTIFY-3, PUSH-14] a notification that the endpoint would reject is rejected when it is queued', async () => {
  await subscribe(surrogate, '/phone');
  const refused: object[] = [
    ...['https://evil.test', '//evil.test', '/\\evil.test'].map((url) => ({ url })),
    { icon: '//evil.test/x.png' },
    { title: '' },
    { title: 'x'.repeat(201) },
    { body: 'x'.repeat(1001) },
    { body: '€'.repeat(1000) },
  ];
  for (const wrong of refused)
    await assert.rejects(trigger(paid('refused', { ...NOTIFICATION, ...wrong })), { status: 422 }, JSON.stringify(wrong));
  await api.work();
  assert.deepEqual(await takePushes(), { arrived: [], recorded: [] });
});

test('[NOTIFY-4] a push that is queued or tried twice arrives once, and is recorded under its event and request', async () => {
  await subscribe(surrogate, '/phone');
  await runInRequest({ request_id: 'request-of-the-approval' }, () => trigger(paid('twice')));
  await trigger(paid('twice'));
  await api.work();
  const { rows } = await api.pool.query("select event, request_id from delivery where channel = 'push'");
  assert.deepEqual(rows, [{ event: 'payment_arrived', request_id: 'request-of-the-approval' }]);
  assert.equal((await takePushes()).arrived.length, 1);
  // The worker dies after the call, and the job runs again, perhaps for other people: someone was deactivated meanwhile.
  for (const again of [paid('twice'), paid('twice', { ...NOTIFICATION, body: 'Not what was sent.' })]) {
    await trigger(again);
    await api.work();
    assert.deepEqual(await takePushes(), { arrived: [], recorded: [] });
    const left = await api.pool.query(`select from graphile_worker.jobs where task_identifier = 'post_platform_push'`);
    assert.equal(left.rows.length, 0, 'the job has ended');
  }
});

test('[NOTIFY-4] someone who was deactivated since the event is left out, and the others get the push', async () => {
  await subscribe(surrogate, '/phone');
  await subscribe(parent2, '/other');
  const both = {
    ...paid('left'),
    recipients: [...paid('left').recipients, { user_type: 'ip' as const, user_id: parent2.userId }],
  };
  await trigger(both);
  await api.pool.query("update user_account set status = 'deactivated' where id = $1", [surrogate.userId]);
  await api.work();
  await api.pool.query("update user_account set status = 'active' where id = $1", [surrogate.userId]);
  assert.deepEqual(
    (await takePushes()).arrived.map(({ path }) => path),
    ['/other'],
  );
});

test('[NOTIFY-4] while the API is down or cannot work, the job waits without using up its tries, and then it is sent', async () => {
  await subscribe(surrogate, '/phone');
  await trigger(paid('later'));
  const broken = await startSink();
  const url = broken.origin;
  const readJob = async () => {
    const { rows } = await api.pool.query(
      `select attempts, run_at > now() + interval '5 seconds' as waits from graphile_worker.jobs
        where task_identifier = 'post_platform_push' and locked_at is null`,
    );
    return rows;
  };
  const makeDue = () => api.pool.query('update graphile_worker._private_jobs set run_at = now() where run_at > now()');
  const outages = ['drop', 503, 500, 429, 409] as const;
  for (const outage of outages) {
    broken.answers.set('/internal/notification/send', outage);
    await api.work({ internalApi: { url, masterApiKey: TEST_SECRETS.masterApiKey } });
    await eventually(`the job waits after ${outage}`, async () => (await readJob())[0]?.waits === true);
    assert.deepEqual(await readJob(), [{ attempts: 0, waits: true }], String(outage));
    await makeDue();
  }
  const keys = new Set(broken.received.map(({ headers }) => headers['idempotency-key']));
  assert.deepEqual([keys.size, broken.received.length], [1, outages.length], 'every try has the same key');
  broken.answers.set('/internal/notification/send', 404);
  await api.work({ internalApi: { url, masterApiKey: TEST_SECRETS.masterApiKey } });
  await eventually('the try counts', async () => (await readJob())[0]?.attempts === 1);
  await makeDue();
  await api.work();
  assert.equal((await takePushes()).arrived.length, 1);
});

test('[NOTIFY-4, NOTIFY-5] people who turned off an event get no push of it, also through the endpoint', async () => {
  await subscribe(surrogate, '/phone');
  const off = { event: 'payment_arrived', channel: 'push', enabled: false };
  await api.pool.query('insert into notification_preference (user_id, event, channel, enabled) values ($1, $2, $3, $4)', [
    surrogate.userId,
    off.event,
    off.channel,
    off.enabled,
  ]);
  await trigger(paid('off'));
  await api.work();
  await api.pool.query('delete from notification_preference where user_id = $1', [surrogate.userId]);
  assert.deepEqual(await takePushes(), { arrived: [], recorded: [] });
});

test('[PUSH-7, PUSH-14] a push service that is busy is tried again after its Retry-After, and not before', async () => {
  await subscribe(surrogate, '/phone');
  sink.answers.set('/phone', { status: 429, headers: { 'retry-after': '1800' } });
  await trigger(paid('busy'));
  await api.work();
  const { rows } = await api.pool.query(
    `select run_at > now() + interval '29 minutes' as waits from graphile_worker._private_jobs
      where payload->>'delivery_id' in (select id::text from delivery where state = 'queued')`,
  );
  assert.deepEqual(rows, [{ waits: true }]);
  sink.received.splice(0);
  sink.answers.delete('/phone');
  await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
  await api.work();
  assert.equal((await takePushes()).arrived.length, 1);
});
