import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const [parent, surrogate] = [await api.as('parent'), await api.as('surrogate')];
const origin = 'http://127.0.0.1:9';
const KEYS = {
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
};
const subscribe = (who: Client, path: string) =>
  who.post('/api/notifications/subscribe', { enabled: true, endpoint: `${origin}${path}`, keys: KEYS });

beforeEach(() => api.pool.query('delete from push_subscription'));

describe('[PUSH-1] subscribing a device', () => {
  test('[PUSH-1] one subscription for each user_type, user_id, and endpoint; subscribing again renews it', async () => {
    const first = await subscribe(parent, '/same');
    const again = await subscribe(parent, '/same');
    assert.deepEqual(first.body, again.body);
    const { rows } = await api.pool.query('select user_type, user_id from push_subscription');
    assert.deepEqual(rows, [{ user_type: 'ip', user_id: parent.userId }]);
  });

  test('[PUSH-2] enabled: false deletes all of the user’s', async () => {
    await subscribe(parent, '/one');
    await subscribe(parent, '/two');
    await subscribe(surrogate, '/three');
    const answer = await parent.post('/api/notifications/subscribe', { enabled: false });
    assert.deepEqual(answer.body, { enabled: false, deleted: 2 });
  });

  test('keys that no browser creates are rejected', async () => {
    const offCurve = Buffer.alloc(65, 1).fill(4, 0, 1).toString('base64url');
    for (const keys of [{ ...KEYS, p256dh: 'AAAA' }, { ...KEYS, p256dh: offCurve }, { ...KEYS, auth: 'AAAA' }, {}]) {
      const answer = await parent.post('/api/notifications/subscribe', {
        enabled: true,
        endpoint: `${origin}/x`,
        keys,
      });
      assert.equal(answer.status, 422, JSON.stringify(keys));
    }
    assert.equal((await subscribe(parent, '/x')).status, 200, 'with keys of a browser it is taken');
  });

  test('an endpoint that is not a push service of ours is rejected', async () => {
    const endpoints = [
      'https://evil.test/push',
      'http://fcm.googleapis.com/x',
      'https://127.0.0.1.evil.test/x',
      'https://user@127.0.0.1/x',
      'http://169.254.169.254/latest',
      'http://[::1]/x',
      'file:///etc/passwd',
      'not a url',
    ];
    for (const endpoint of endpoints) {
      const answer = await parent.post('/api/notifications/subscribe', { enabled: true, endpoint, keys: KEYS });
      assert.equal(answer.status, 422, endpoint);
    }
    assert.equal((await api.pool.query('select from push_subscription')).rowCount, 0);
    assert.equal((await subscribe(parent, '/x')).status, 200, 'one of ours is taken');
  });
});
