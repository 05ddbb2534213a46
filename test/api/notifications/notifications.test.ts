import assert from 'node:assert/strict';
import { createECDH, createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { joinPersons, partPersons } from '../../support/persons.ts';
import { type Client, startApi, TEST_VAPID } from '../../support/platform.ts';

const api = await startApi();
const { parent, surrogate, escrow } = await api.everyone();
const KEYS = {
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
};
const endpointOf = (path: string) => `http://127.0.0.1:9${path}`;
const subscribe = (who: Client, path: string, userAgent = 'Browser/1') =>
  who.post(
    '/api/notifications/subscribe',
    { enabled: true, endpoint: endpointOf(path), keys: KEYS },
    { 'user-agent': userAgent },
  );
const devices = async (who: Client, query = '') =>
  (await who.get(`/api/notifications/subscriptions${query}`)).body.data as {
    id: number;
    user_agent: string;
    current: boolean;
    needs_renewal: boolean;
  }[];

beforeEach(async () => {
  await api.pool.query('delete from push_subscription');
  await api.pool.query('delete from notification_preference');
});

test('[PUSH-12] GET /api/notifications/vapid-key gives the key that pushes are signed with', async () => {
  assert.deepEqual((await parent.get('/api/notifications/vapid-key')).body, { public_key: TEST_VAPID.publicKey });
});

describe('[PUSH-3] devices', () => {
  test('[PUSH-3] a person sees their own devices, newest first, and which of them this one is', async () => {
    await subscribe(parent, '/phone', 'Phone/1');
    await subscribe(parent, '/desk', 'Desk/1');
    await subscribe(surrogate, '/other');
    const digest = createHash('sha256').update(endpointOf('/phone')).digest('hex');
    const list = await devices(parent, `?current=${digest}`);
    assert.deepEqual(
      list.map(({ user_agent, current, needs_renewal }) => ({ user_agent, current, needs_renewal })),
      [
        { user_agent: 'Desk/1', current: false, needs_renewal: false },
        { user_agent: 'Phone/1', current: true, needs_renewal: false },
      ],
    );
    assert.equal(JSON.stringify(list).includes('127.0.0.1'), false, 'endpoints are never shown');
    assert.equal((await parent.get('/api/notifications/subscriptions?current=abc')).status, 422);
  });

  test('[PUSH-2] DELETE removes one device, and only one of theirs', async () => {
    const { subscription_id } = (await subscribe(parent, '/a')).body;
    await subscribe(parent, '/b');
    assert.equal((await surrogate.call('DELETE', `/api/notifications/subscriptions/${subscription_id}`)).status, 404);
    assert.equal((await parent.call('DELETE', `/api/notifications/subscriptions/${subscription_id}`)).status, 204);
    assert.equal((await parent.call('DELETE', `/api/notifications/subscriptions/${subscription_id}`)).status, 404);
    assert.equal((await devices(parent)).length, 1);
    for (const id of ['0', 'x', '99999999999999999999']) {
      assert.equal((await parent.call('DELETE', `/api/notifications/subscriptions/${id}`)).status, 422, id);
    }
  });

  test('[PUSH-3] at most 16 devices a user, also when many subscribe at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => subscribe(parent, `/d${at}`)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(16).fill(200), ...Array(4).fill(409)]);
    assert.equal((await devices(parent)).length, 16);
    const { body, status } = await subscribe(parent, '/more');
    assert.deepEqual([status, body.code], [409, 'too_many_devices']);
    const taken = answers.findIndex((answer) => answer.status === 200);
    assert.equal((await subscribe(parent, `/d${taken}`)).status, 200, 'one of them again');
  });

  test('[PUSH-1, PUSH-13] one record per (user_type, user_id, endpoint): a person with two records has both', async () => {
    const [asParent, asSurrogate] = await api.people('bothParent', 'bothSurrogate');
    for (let round = 0; round < 3; round += 1)
      await Promise.all([asParent, asSurrogate].map((who) => subscribe(who, '/one-browser')));
    assert.deepEqual([(await devices(asParent)).length, (await devices(asSurrogate)).length], [1, 1]);
    await asParent.post('/api/notifications/subscribe', { enabled: false });
    assert.deepEqual([(await devices(asParent)).length, (await devices(asSurrogate)).length], [0, 1]);
    await subscribe(asParent, '/one-browser');
    const current = createHash('sha256').update(endpointOf('/one-browser')).digest('hex');
    const isShared = async (who: Client) =>
      (await who.get(`/api/notifications/subscriptions?current=${current}`)).body.current_is_shared;
    assert.deepEqual([await isShared(asParent), await isShared(asSurrogate), await isShared(parent)], [true, true, false]);
    await subscribe(surrogate, '/one-browser');
    assert.deepEqual([(await devices(asParent)).length, (await devices(asSurrogate)).length], [0, 0]);
    assert.equal((await devices(surrogate)).length, 1, 'only the next person on this browser has it');
    await joinPersons(api.pool, [surrogate.userId, parent.userId]);
    await subscribe(parent, '/one-browser');
    assert.deepEqual([(await devices(parent)).length, (await devices(surrogate)).length], [1, 1], 'one by their phone');
    assert.deepEqual([await isShared(parent), await isShared(asParent)], [true, false]);
    await partPersons(api.pool, [surrogate.userId, parent.userId]);
  });

  test('an endpoint that another person subscribes moves to them', async () => {
    await subscribe(parent, '/shared');
    await subscribe(surrogate, '/shared');
    assert.deepEqual([(await devices(parent)).length, (await devices(surrogate)).length], [0, 1]);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([parent, surrogate, escrow].map((who) => subscribe(who, '/shared')));
      const { rows } = await api.pool.query('select 1 from push_subscription');
      assert.equal(rows.length, 1, 'however many subscribe at the same time');
    }
  });

  test('a device whose key is no longer accepted says so, until it subscribes again', async () => {
    await subscribe(parent, '/old');
    await api.pool.query('update push_subscription set renew_since = now()');
    assert.equal((await devices(parent))[0]?.needs_renewal, true);
    await subscribe(parent, '/old');
    assert.equal((await devices(parent))[0]?.needs_renewal, false);
  });
});

describe('[NOTIFY-5] preferences', () => {
  interface Preference {
    event: string;
    channels: { channel: string; enabled: boolean; can_change: boolean }[];
  }
  const read = async (who: Client) => (await who.get('/api/notifications/preferences')).body.data as Preference[];
  const put = (who: Client, preferences: unknown) =>
    who.call('PUT', '/api/notifications/preferences', {
      body: JSON.stringify({ preferences }),
      headers: { 'content-type': 'application/json' },
    });
  const find = (list: Preference[], event: string, channel: string) =>
    list.find((entry) => entry.event === event)?.channels.find((way) => way.channel === channel);

  test('everything is on at first; what a person turns off stays off for them only', async () => {
    const before = await read(parent);
    assert.ok(before.every(({ channels }) => channels.length > 0 && channels.every(({ enabled }) => enabled)));
    const answer = await put(parent, [{ event: 'new_message', channel: 'email', enabled: false }]);
    assert.equal(answer.status, 200);
    assert.deepEqual(find(answer.body.data, 'new_message', 'email'), {
      channel: 'email',
      enabled: false,
      can_change: true,
    });
    assert.deepEqual(await read(parent), answer.body.data);
    assert.equal(find(await read(surrogate), 'new_message', 'email')?.enabled, true);
    await put(parent, [{ event: 'new_message', channel: 'email', enabled: true }]);
    assert.deepEqual(await read(parent), before);
  });

  test('turning off required events, or unknown events and channels, is rejected as a whole', async () => {
    assert.equal(find(await read(parent), 'disbursement_submitted', 'email')?.can_change, false);
    const refused = [
      { event: 'disbursement_submitted', channel: 'email', enabled: false },
      { event: 'two_factor_code', channel: 'sms', enabled: false },
      { event: 'password_changed', channel: 'email', enabled: false },
      { event: 'case_close_reminder', channel: 'email', enabled: false },
      { event: 'payment_arrived', channel: 'sms', enabled: false },
      { event: '__proto__', channel: 'email', enabled: false },
      { event: 'new_message', channel: 'fax', enabled: false },
    ];
    for (const change of refused) {
      const answer = await put(parent, [{ event: 'new_message', channel: 'push', enabled: false }, change]);
      assert.equal(answer.status, 422, JSON.stringify(change));
    }
    assert.equal(find(await read(parent), 'new_message', 'push')?.enabled, true);
    assert.equal((await put(parent, [])).status, 422);
    assert.equal((await put(parent, 'x')).status, 422);
    const staff = await put(escrow, [{ event: 'case_close_reminder', channel: 'email', enabled: false }]);
    assert.equal(staff.status, 200);
  });

  test('the last of repeated values in a request counts, and of many requests at once none is lost and none fails', async () => {
    const change = (enabled: boolean) => ({ event: 'new_message', channel: 'push', enabled });
    assert.equal((await put(parent, [change(false), change(true), change(false)])).status, 200);
    assert.equal(find(await read(parent), 'new_message', 'push')?.enabled, false);
    const other = { event: 'payment_arrived', channel: 'push', enabled: false };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => put(parent, at % 2 ? [change(false), other] : [other, change(false)])),
    );
    assert.ok(answers.every(({ status }) => status === 200));
  });
});
