import assert from 'node:assert/strict';
import { createECDH, createPublicKey } from 'node:crypto';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { beforeEach, describe, test } from 'node:test';
import { queuePushes } from '@case-platform/modules/notifications';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Client } from '../support/platform.ts';
import { startApi, TEST_VAPID } from '../support/platform.ts';
import { PushDevice } from '../support/push-device.ts';
import { startSink } from '../support/sink.ts';

const sink = await startSink();
const silent = await startSink('hang');
const api = await startApi();
const { parent, escrow } = await api.everyone();

const subscribe = async (who: Client, path: string, device = new PushDevice()) => {
  const body = { enabled: true, endpoint: `${sink.origin}${path}`, keys: device.keys };
  assert.equal((await who.post('/api/notifications/subscribe', body)).status, 200);
  return device;
};
const write = async () => (await parent.form('/api/messages', { message: 'Secret words' })).body.message.id as number;
const at = (path: string) => sink.received.filter((request) => request.path === path);
const deliveries = async () =>
  (await api.pool.query("select state, error from delivery where channel = 'push' order by id")).rows;
const settings = { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false };

beforeEach(async () => {
  for (const table of ['push_subscription', 'delivery', 'notification_preference', 'graphile_worker._private_jobs']) {
    await api.pool.query(`delete from ${table}`);
  }
  sink.received.length = 0;
  sink.answers.clear();
});

describe('[PUSH-10] the payload that arrives', () => {
  test('[PUSH-10, PUSH-11] the device decrypts exactly the fields of the payload, and the text is neutral', async () => {
    const device = await subscribe(escrow, '/phone');
    const id = await write();
    await api.work();
    const [request] = at('/phone');
    assert.ok(request);
    const { chain_id } = (await api.pool.query('select chain_id from message where id = $1', [id])).rows[0];
    assert.deepEqual(device.read(request.body), {
      title: 'New message',
      body: 'Paige Whitlock wrote to you.',
      icon: '/icon-192.png',
      data: { url: `/messages/${chain_id}` },
      tag: `message-${id}`,
      requireInteraction: false,
      vibrate: [200],
    });
    assert.throws(() => new PushDevice().read(request.body), 'another device cannot read it');
    assert.ok(request.body.length < 4096);
  });

  test('[PUSH-12] the VAPID token is signed by our key, for this push service, for a limited time', async () => {
    await subscribe(escrow, '/phone');
    await write();
    await api.work();
    const { authorization = '', ttl, urgency, topic } = at('/phone')[0]?.headers ?? {};
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
    assert.equal(key, TEST_VAPID.publicKey);
    assert.equal(decodeProtectedHeader(token).alg, 'ES256');
    const { payload } = await jwtVerify(token, asKey(key), { audience: sink.origin });
    assert.equal(payload.sub, TEST_VAPID.subject);
    assert.ok((payload.exp ?? 0) <= Date.now() / 1000 + 24 * 3600);
    assert.deepEqual([ttl, urgency], [String(24 * 3600), 'high']);
    assert.match(String(topic), /^[\w-]{1,32}$/);
    await write();
    await api.work();
    assert.notEqual(at('/phone')[1]?.headers.topic, topic, 'a push does not replace that of another message');
  });

  test('a body that is too long for a push is cut, and news that can wait do not wake the device', async () => {
    const device = await subscribe(parent, '/phone');
    const to = { id: parent.userId, user_type: 'ip' as const, email_address: 'parent@demo.test' };
    const payload = { title: 'x', body: '€'.repeat(3000), data: { url: '/' }, tag: 't' };
    await api.db.transaction((tx) =>
      queuePushes(tx, [{ key: 'long', event: 'payment_arrived', to: [to], request: undefined, payload }]),
    );
    await api.work();
    const [request] = at('/phone');
    assert.match(device.read(request?.body ?? Buffer.alloc(0)).body, /^€{900,}…$/);
    assert.equal(request?.headers.urgency, 'normal', 'only some events wake a device');
  });
});

describe('[PUSH-12] a changed VAPID key', () => {
  const pair = createECDH('prime256v1');
  const next = {
    ...settings,
    publicKey: pair.generateKeys('base64url'),
    privateKey: pair.getPrivateKey('base64url'),
  };

  test('devices of the previous key get pushes signed with it', async () => {
    const device = await subscribe(escrow, '/phone');
    await write();
    await api.work({ push: { ...next, previous: TEST_VAPID } });
    const [request] = at('/phone');
    assert.match(request?.headers.authorization ?? '', new RegExp(`k=${TEST_VAPID.publicKey}$`));
    assert.equal(device.read(request?.body ?? Buffer.alloc(0)).title, 'New message');
  });

  test('a push service that no longer accepts the old key makes the device renew its subscription instead of losing it', async () => {
    for (const status of [400, 403]) {
      await subscribe(escrow, `/refuses-${status}`);
      sink.answers.set(`/refuses-${status}`, status);
    }
    await write();
    await api.work({ push: { ...next, previous: TEST_VAPID } });
    const devices = (await escrow.get('/api/notifications/subscriptions')).body.data;
    assert.deepEqual(
      devices.map((device: { needs_renewal: boolean }) => device.needs_renewal),
      [true, true],
    );
    const states = (await deliveries()).map(({ state }) => state);
    assert.deepEqual(states, ['failed', 'failed']);
    await write();
    await api.work({ push: { ...next, previous: TEST_VAPID } });
    assert.equal(sink.received.length, 2, 'nothing else is sent to it');
  });

  test('without the previous key pair, no push is sent to devices of that pair', async () => {
    await subscribe(escrow, '/phone');
    await write();
    await api.work({ push: next });
    assert.equal(sink.received.length, 0);
    assert.equal((await escrow.get('/api/notifications/subscriptions')).body.data[0].needs_renewal, true);
  });

  test('when the current key is rejected, the message fails and the device keeps its subscription', async () => {
    await subscribe(escrow, '/phone');
    sink.answers.set('/phone', 403);
    await write();
    await api.work();
    assert.equal((await escrow.get('/api/notifications/subscriptions')).body.data[0].needs_renewal, false);
    assert.deepEqual(await deliveries(), [{ state: 'failed', error: 'The push service refused the message (403).' }]);
  });
});

describe('[PUSH-4] where a push is sent', () => {
  test('a redirect is not followed', async () => {
    await subscribe(escrow, '/phone');
    sink.answers.set('/phone', { status: 307, headers: { location: `${sink.origin}/inside` } });
    await write();
    await api.work();
    assert.deepEqual([at('/phone').length, at('/inside').length], [1, 0]);
    assert.equal((await deliveries())[0].state, 'failed');
  });

  test('a host that was removed from the list, and a name that leads to a private address, are rejected when sending', async () => {
    await subscribe(escrow, '/phone');
    await write();
    await api.work({ push: { ...settings, allowedHosts: [] } });
    assert.match((await deliveries())[0].error, /not on the list/);
    const port = new URL(sink.origin).port;
    await api.pool.query('update push_subscription set endpoint = $1', [`https://inside.test:${port}/x`]);
    await write();
    await api.work({ push: { ...settings, allowedHosts: ['inside.test'] } });
    assert.match((await deliveries())[1].error, /not on the list/);
    assert.equal(sink.received.length, 0);
  });

  test('[PUSH-4] a listed name that resolves to a private address is not called nor tried again, and staff see why', async (t) => {
    const inside = { address: '127.0.0.1', family: 4 };
    const answers = [[inside], [{ address: '142.250.1.1', family: 4 }, inside], [{ address: '::ffff:10.0.0.1', family: 6 }]];
    const lookup = t.mock.method(dns, 'lookup', (_name: string, _options: object, done: (...answer: unknown[]) => void) =>
      done(null, answers[lookup.mock.callCount()]),
    );
    syncBuiltinESMExports();
    t.after(() => {
      lookup.mock.restore();
      syncBuiltinESMExports();
    });
    await subscribe(escrow, '/phone');
    await api.pool.query('update push_subscription set endpoint = $1', ['https://push.demo.test/phone']);
    for (const _ of answers) {
      await write();
      await api.work({ push: { ...settings, allowedHosts: ['push.demo.test'] } });
    }
    // After a connection that was refused or hung, the delivery would still be queued for another try.
    const refused = { state: 'failed', error: 'The push service leads to an address that is not public.' };
    assert.deepEqual(await deliveries(), Array(answers.length).fill(refused));
    assert.equal(lookup.mock.callCount(), answers.length, 'the address that was checked would have been called');
  });

  test('after a temporary failure, the push is tried again for that device only, with the same tag', async () => {
    const devices = new Map<string, PushDevice>();
    for (const path of ['/fine', '/busy', '/broken']) devices.set(path, await subscribe(escrow, path));
    sink.answers.set('/busy', 429).set('/broken', 500);
    await write();
    await api.work();
    assert.deepEqual(
      (await deliveries()).map(({ state }) => state),
      ['sent', 'queued', 'queued'],
    );
    sink.answers.clear();
    await api.retryNow();
    await api.work();
    assert.deepEqual(
      (await deliveries()).map(({ state }) => state),
      ['sent', 'sent', 'sent'],
    );
    assert.equal(at('/fine').length, 1);
    // On a busy machine the worker may have tried them again by itself.
    for (const path of ['/busy', '/broken']) assert.ok(at(path).length >= 2, path);
    const tags = at('/busy').map(({ body }) => devices.get('/busy')?.read(body).tag);
    assert.equal(new Set(tags).size, 1);
  });

  test('[NOTIFY-11] a call to a push service that hangs is ended, and the push is tried again later', async () => {
    await subscribe(escrow, '/phone');
    await api.pool.query('update push_subscription set endpoint = $1', [`${silent.origin}/phone`]);
    await write();
    await api.work({ push: { ...settings, giveUpAfterMs: 50 } });
    assert.deepEqual(await deliveries(), [{ state: 'queued', error: 'The push service did not answer in time.' }]);
    await api.pool.query('update push_subscription set endpoint = $1', [`${sink.origin}/phone`]);
    await api.retryNow();
    await api.work();
    assert.deepEqual(await deliveries(), [{ state: 'sent', error: null }]);
  });

  test('a person gets no pushes or mails about events that they turned off', async () => {
    await subscribe(escrow, '/phone');
    const off = (channel: string) => ({ event: 'new_message', channel, enabled: false });
    const answer = await escrow.call('PUT', '/api/notifications/preferences', {
      body: JSON.stringify({ preferences: [off('push'), off('email')] }),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 200);
    await write();
    await api.work();
    assert.deepEqual(await deliveries(), []);
    const { rows } = await api.pool.query("select state, error from delivery where channel = 'email'");
    assert.deepEqual(rows, [{ state: 'suppressed', error: 'Switched off by the recipient.' }]);
  });
});

/** Converts an uncompressed point to a public key. */
function asKey(point: string) {
  const bytes = Buffer.from(point, 'base64url');
  const [x, y] = [bytes.subarray(1, 33).toString('base64url'), bytes.subarray(33).toString('base64url')];
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}
