import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { closeStorage, createStorage, requireBucket } from '@case-platform/modules/storage';
import { startAdmin } from '../../admin/start-admin.ts';
import { CAST, passwordOf } from '../../support/cast.ts';
import { createTestDatabase, PATIENCE_MS, serverUrl } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { openGate } from '../../support/gate.ts';
import { startApi } from '../../support/platform.ts';

const gate = await openGate((await createTestDatabase()).url);
const pool = createPool({ url: gate.url, name: 'away', max: 5, connectWithinMs: PATIENCE_MS });
const database = { url: gate.url, pool, db: createDatabase(pool) };
const api = await startApi({ database });
const admin = await startAdmin({ database, storage: api.storage });
after(() => pool.end());
const parent = await api.as('parent');
const escrow = await admin.as('escrow');
const credentials = {
  email_address: CAST.parent.email_address,
  user_type: CAST.parent.user_type,
  pass_hash: passwordOf('parent'),
};

/** Returns the answers of both applications, by the name of the call. */
async function statuses(): Promise<Record<string, [status: number, retryAfter: string | null, kind: string]>> {
  const visitor = admin.visitor();
  const answers = {
    'API, reading': await parent.get('/api/user/me'),
    'API, writing': await parent.form('/api/messages', { message: 'x' }),
    'API, signing in': await api.anonymous.post('/api/user/auth/login', credentials),
    'API, ready': await api.anonymous.get('/health/ready'),
    'API, live': await api.anonymous.get('/health/live'),
    'staff, reading': await escrow.get('/cases'),
    'staff, writing': await escrow.post('/account/password', { current: 'x', password: 'x' }),
    'staff, signing in': await visitor.submit('/login', { email: 'a@demo.test', password: 'x', user_type: 'admin' }),
    'staff, ready': await visitor.get('/health/ready'),
    'staff, live': await visitor.get('/health/live'),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([name, { status, headers }]) => [
      name,
      [status, headers.get('retry-after'), headers.get('content-type')?.split(';', 1)[0] ?? ''],
    ]),
  );
}

/** Waits until both applications have this readiness, because a probe's answer is reused for a second. */
async function becomesReady(status: 200 | 503): Promise<void> {
  for (const probe of [api.anonymous, admin.visitor()]) {
    await eventually(`ready answers ${status}`, async () => (await probe.get('/health/ready')).status === status);
  }
}

test('[ERROR-4, DATABASE-3] while the database is away everything is 503 with Retry-After, and works again when it is back', async () => {
  await becomesReady(200);
  const before = await statuses();
  assert.ok(Object.values(before).every(([status]) => status < 500));
  await gate.shut();
  await becomesReady(503);
  const json = 'application/json';
  const problem = 'application/problem+json';
  const page = 'text/html';
  assert.deepEqual(await statuses(), {
    'API, reading': [503, '5', problem],
    'API, writing': [503, '5', problem],
    'API, signing in': [503, '5', problem],
    'API, ready': [503, '2', json],
    'API, live': [200, null, json],
    'staff, reading': [503, '5', page],
    'staff, writing': [503, '5', page],
    'staff, signing in': [503, '5', page],
    'staff, ready': [503, '2', json],
    'staff, live': [200, null, json],
  });
  const toCases = /<a class="btn btn-primary" href="\/cases">Try again<\/a>/;
  assert.match((await escrow.get('/cases')).text, toCases, 'the page that was asked for');
  const wentBack = async (path: string) => {
    const { text } = await escrow.post('/cases', {}, { referer: `${admin.baseUrl}${path}` });
    return /href="([^"]*)">Go back<\/a>/.exec(text)?.[1];
  };
  assert.equal(await wentBack('/cases/new'), '/cases/new', 'the page that the form is on');
  assert.equal(await wentBack('//elsewhere.test/'), '/', 'no page of another site');
  await gate.open();
  await becomesReady(200);
  assert.deepEqual(await statuses(), before);
});

test('[HEALTH-1] ready means that the bucket answers with our key, and that the queue exists', async () => {
  await becomesReady(200);
  const { bucket } = api.storage.settings;
  Object.assign(api.storage.settings, { bucket: 'no-such-bucket' });
  await becomesReady(503);
  Object.assign(api.storage.settings, { bucket });
  await becomesReady(200);
  const refused = createStorage({ ...api.storage.settings, secretAccessKey: 'another one' });
  await assert.rejects(requireBucket(refused));
  closeStorage(refused);
  // The schema of the queue is renamed, so it is missing as before the migrations.
  const owner = createPool({ url: serverUrl(new URL(gate.url).pathname.slice(1)), name: 'owner', max: 1 });
  await owner.query('alter schema graphile_worker rename to elsewhere');
  await becomesReady(503);
  await owner.query('alter schema elsewhere rename to graphile_worker');
  await becomesReady(200);
  await owner.end();
});
