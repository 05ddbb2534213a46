import assert from 'node:assert/strict';
import { createECDH, createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { issueAgencyKey, listAgencyKeys, revokeAgencyKey } from '@case-platform/modules/accounts';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { PushDevice } from '../../support/push-device.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';

const api = await startApi();
const { anonymous } = api;
const BY = { actor: null, origin: SYSTEM };
const DEMO_KEY = 'demo-agency-key-1-0123456789abcdef';
const webhook = (body: object, key: string | null = DEMO_KEY) =>
  anonymous.post('/webhook', body, key === null ? {} : { 'x-api-key': key });

describe('agency keys', () => {
  test('[KEY-3] POST /webhook resolves the calling agency', async () => {
    const answer = await webhook({ id: 'e1', type: 'case.updated', case_id: CASE_1, data: { anything: true } });
    assert.equal(answer.status, 202);
    assert.deepEqual(answer.body, { agency: { id: 1, name: 'Fernhill Surrogacy' }, id: 'e1', duplicate: false });
  });

  test('[KEY-3] the same id from the same agency is processed once, also 20 times at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => webhook({ id: 'e2', type: 'x' })));
    assert.ok(answers.every((answer) => answer.status === 202));
    assert.equal(answers.filter((answer) => !answer.body.duplicate).length, 1);
  });

  test('[KEY-4] ids are compared exactly as received, and one that cannot be stored so is a 422', async () => {
    const different = ['é', 'e\u0301', 'É', '\uFFFD', '\uFFFD\uFFFD', 'a', 'a ', ' a', 'a\u200B', 'A', '\uFF41'];
    for (const id of different) {
      const { status, body } = await webhook({ id, type: 'x' });
      assert.deepEqual([status, body.id, body.duplicate], [202, id, false], JSON.stringify(id));
    }
    for (const id of different) assert.equal((await webhook({ id, type: 'x' })).body.duplicate, true, JSON.stringify(id));
    for (const id of ['\uD800', '\uDFFF', 'a\uD800', '\uDC00\uD800', 'a\u0000', '\u0000']) {
      const { status, body } = await webhook({ id, type: 'x' });
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'id'], JSON.stringify(id));
    }
  });

  test('[KEY-2, KEY-5] a case of another agency is a 404, a wrong or missing key a 401, invalid input a 422', async () => {
    assert.equal((await webhook({ id: 'e3', type: 'x', case_id: CASE_2 })).status, 404);
    for (const key of [null, '', 'wrong', `${DEMO_KEY}x`, 'x'.repeat(1000)]) {
      assert.equal((await webhook({ id: 'e3', type: 'x' }, key)).status, 401, String(key).slice(0, 20));
    }
    const { token } = await api.as('owner');
    const user = await anonymous.post('/webhook', { id: 'e3', type: 'x' }, { authorization: `Bearer ${token}` });
    assert.equal(user.status, 401, 'a user is no agency');
    for (const body of [
      {},
      { id: 'e3' },
      { id: '', type: 'x' },
      { id: 'x'.repeat(256), type: 'x' },
      { id: 1, type: 'x' },
      { id: 'e3', type: '\u202E\u200B' },
    ]) {
      assert.equal((await webhook(body)).status, 422);
    }
  });

  test('[ACCOUNT-3] invisible characters are removed from the name of an event', async () => {
    assert.equal((await webhook({ id: 'e6', type: '\u202Ecase.\u200Bupdated\u2066\n now' })).status, 202);
    const { rows } = await api.pool.query(`select type from agency_event where event_id = 'e6'`);
    assert.deepEqual(rows, [{ type: 'case.updated now' }]);
  });

  test('[KEY-1, KEY-2] two keys are active at once, a third is rejected; a revoked one ends at once; the last use is noted', async () => {
    const second = await issueAgencyKey(api.db, 1, BY);
    assert.equal((await webhook({ id: 'e4', type: 'x' }, second.key)).status, 202);
    await assert.rejects(issueAgencyKey(api.db, 1, BY), { code: 'too_many_keys' });
    const listed = await listAgencyKeys(api.db, 1);
    assert.ok(listed.find((key) => key.id === second.id)?.last_used_at instanceof Date);
    assert.ok(!JSON.stringify(listed).includes(second.key));
    await revokeAgencyKey(api.db, 1, second.id, BY);
    assert.equal((await webhook({ id: 'e5', type: 'x' }, second.key)).status, 401);
    assert.equal((await webhook({ id: 'e5', type: 'x' })).status, 202);
    const both = await Promise.allSettled([issueAgencyKey(api.db, 1, BY), issueAgencyKey(api.db, 1, BY)]);
    assert.equal(both.filter((result) => result.status === 'fulfilled').length, 1);
  });

  test('[KEY-1] the key is stored hashed', async () => {
    const { rows } = await api.pool.query('select key_hash from agency_api_key where agency_id = 1');
    const hash = createHash('sha256').update(DEMO_KEY).digest('hex');
    assert.ok(rows.some(({ key_hash }) => key_hash.toString('hex') === hash));
    assert.deepEqual(await findStoredSecrets(api.pool, { key: DEMO_KEY }), []);
  });
});

describe('[PUSH-14] POST /internal/notification/send', () => {
  const received: string[] = [];
  const statusOf = new Map<string, number>();
  const bodies: Buffer[] = [];
  const sink = createServer(async (request, response) => {
    received.push(request.url ?? '');
    bodies.push(Buffer.concat(await request.toArray()));
    response.writeHead(statusOf.get(request.url ?? '') ?? 201).end();
  });
  const listening = new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  after(() => sink.close());
  const send = (body: object, key = TEST_SECRETS.masterApiKey) =>
    anonymous.post('/internal/notification/send', body, { 'x-master-api-key': key });
  const subscribe = async (who: Client, path: string) => {
    await listening;
    const device = createECDH('prime256v1');
    const keys = { p256dh: device.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
    const endpoint = `http://127.0.0.1:${(sink.address() as AddressInfo).port}${path}`;
    assert.equal((await who.post('/api/notifications/subscribe', { enabled: true, endpoint, keys })).status, 200);
  };

  test('[PUSH-8, PUSH-14] a push goes to all devices of all recipients and reports how each ended', async () => {
    const [parent, surrogate] = [await api.as('parent'), await api.as('surrogate')];
    for (const path of ['/ok', '/gone', '/broken']) await subscribe(parent, path);
    await subscribe(surrogate, '/other');
    statusOf.set('/gone', 410).set('/broken', 500);
    const recipients = [
      { user_type: 'intended_parent', user_id: parent.userId },
      { user_type: 'surrogate', user_id: surrogate.userId },
    ];
    const answer = await send({
      recipients,
      title: 'Payment confirmed',
      body: 'It has arrived.',
      url: '/disbursements/1',
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { sent: 2, failed: 1, removed: 1 });
    assert.deepEqual(received.sort(), ['/broken', '/gone', '/ok', '/other']);
    const one = await send({ ...recipients[1], title: 'Again', body: 'x' });
    assert.deepEqual(one.body, { sent: 1, failed: 0, removed: 0 });
  });

  test('[KEY-2, PUSH-14] a wrong or missing key is a 401, invalid input a 422, and nothing is sent', async () => {
    const person = { user_type: 'surrogate', user_id: (await api.as('surrogate')).userId };
    const former = { user_type: 'ip_company', user_id: (await api.as('rep')).userId };
    await api.pool.query(`update user_account set status = 'deactivated' where id = $1`, [former.user_id]);
    const before = received.length;
    assert.equal((await send({ ...person, title: 'x', body: 'x' }, 'wrong')).status, 401);
    assert.equal((await anonymous.post('/internal/notification/send', { ...person, title: 'x', body: 'x' })).status, 401);
    const { token } = await api.as('root');
    const admin = await anonymous.post(
      '/internal/notification/send',
      { ...person, title: 'x', body: 'x' },
      { authorization: `Bearer ${token}` },
    );
    assert.equal(admin.status, 401, 'an admin is not the master key');
    const invalid = [
      { title: 'x', body: 'x' },
      { ...person, title: 'x' },
      { ...person, title: '', body: 'x' },
      { ...person, title: 'x', body: 'x', url: 'https://evil.test' },
      { ...person, title: 'x', body: 'x', url: '//evil.test' },
      { ...person, title: 'x', body: 'x', url: '/\\evil.test' },
      { ...person, title: 'x', body: '€'.repeat(1000) },
      { ...person, title: 'x', body: 'x', vibrate: [1.5] },
      { ...person, title: 'x', body: 'x', event: 'new_message' },
      { ...person, title: 'x', body: 'x', data: {} },
      { ...person, title: 'x', body: 'x', data: { url: 'https://evil.test' } },
      { ...person, title: 'x', body: 'x', url: '/cases/1', data: { url: '/cases/2' } },
      { ...person, user_id: 999_999, title: 'x', body: 'x' },
      { ...person, user_type: 'admin', title: 'x', body: 'x' },
      { recipients: [], title: 'x', body: 'x' },
      { recipients: [person, former], title: 'x', body: 'x' },
      { recipients: [person, { user_type: 'surrogate', user_id: 999_999 }], title: 'x', body: 'x' },
    ];
    for (const body of invalid) assert.equal((await send(body)).status, 422, JSON.stringify(body).slice(0, 80));
    assert.equal(received.length, before);
  });

  test('[PUSH-15] the path is accepted as url, as data.url, or as both if they are the same', async () => {
    const manager = await api.as('manager');
    const device = new PushDevice();
    await listening;
    const endpoint = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/where`;
    assert.equal(
      (await manager.post('/api/notifications/subscribe', { enabled: true, endpoint, keys: device.keys })).status,
      200,
    );
    const person = { user_type: 'case_manager', user_id: manager.userId, title: 'x', body: 'x' };
    const paths = [{ url: '/cases/1' }, { data: { url: '/cases/1' } }, { url: '/cases/1', data: { url: '/cases/1' } }];
    for (const path of paths) {
      const before = bodies.length;
      assert.deepEqual((await send({ ...person, ...path })).body, { sent: 1, failed: 0, removed: 0 });
      assert.deepEqual(device.read(bodies[before] ?? Buffer.alloc(0)).data, { url: '/cases/1' }, JSON.stringify(path));
    }
  });
});
