import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setRoleDefaults } from '@case-platform/db/grant';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { requireDirectOwner, requireDirectRoute } from '@case-platform/lib/database/database-route';
import type { Pool } from 'pg';
import { CAST, DEMO_PASSWORD } from '../../support/cast.ts';
import { createTestDatabase, PATIENCE_MS, serverUrl } from '../../support/database.ts';
import { EventReader } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi } from '../../support/platform.ts';
import { startPooler } from '../../support/pooler.ts';

const direct = await createTestDatabase();
const strict = await startPooler(direct.url);
const lenient = await startPooler(direct.url, { refusesOptions: false });

/** Sets the settings of the applications' role in a database, as preparing the database does. */
async function prepareRole({ url }: { url: string }): Promise<void> {
  const owner = createPool({ url: serverUrl(new URL(url).pathname.slice(1)), name: 'owner', max: 1 });
  await setRoleDefaults(owner, url);
  await owner.end();
}

/** Opens the pool of an application behind a pooler. */
async function openPooled(): Promise<Pool> {
  const url = await startPooler(direct.url);
  const pool = createPool({ url, name: 'pooled', max: 8, hasSession: false, connectWithinMs: PATIENCE_MS });
  after(() => pool.end());
  return pool;
}

describe('[DATABASE-2] a pooler in transaction mode, with a direct address', () => {
  test('needs the settings of its role, which preparing the database makes', async () => {
    const bare = await createTestDatabase();
    const route = { databaseUrl: await startPooler(bare.url), databaseDirectUrl: bare.url, isPooled: true };
    await assert.rejects(requireDirectRoute(route), /role lacks the platform's settings/);
    await prepareRole(bare);
    await requireDirectRoute({ ...route, databaseUrl: await startPooler(bare.url) });
  });

  test('reads and writes, many at the same time, are all answered; live updates arrive', async () => {
    await prepareRole(direct);
    const pool = await openPooled();
    const api = await startApi({ database: { url: direct.url, pool, db: createDatabase(pool) } });
    const [parent, escrow] = [await api.as('parent'), await api.as('escrow')];
    const authorization = `Bearer ${escrow.token}`;
    const events = await EventReader.open(`${api.baseUrl}/api/messages/events`, { authorization });
    await events.next(({ event }) => event === 'unread');
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        at % 3 === 0 ? parent.form('/api/messages', { message: `message ${at}` }) : parent.get('/api/messages'),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
    const written = answers.filter(({ status }) => status === 201).map(({ body }) => body.message.id as number);
    const received = new Set<number>();
    while (received.size < written.length) {
      const { data } = await events.next(({ event }) => event === 'message');
      received.add(data.message.id);
    }
    assert.deepEqual([...received].sort(), written.sort());
    events.close();
    const { rows } = await pool.query(`select current_setting('TimeZone') as zone, current_setting('statement_timeout') as t`);
    assert.deepEqual(rows, [{ zone: 'UTC', t: '15s' }]);
    await eventually('it is ready', async () => (await api.anonymous.get('/health/ready')).status === 200);
  });

  test('no statement is prepared behind a pooler: people who sign in or guess get their answer every time', async () => {
    await prepareRole(direct);
    const pool = await openPooled();
    const database = { url: direct.url, pool, db: createDatabase(pool) };
    const { anonymous } = await startApi({ database, limits: { login: 1_000 } });
    const { email_address, user_type } = CAST.parent;
    const signIn = (pass_hash: string) => anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => signIn(at % 2 === 0 ? DEMO_PASSWORD : 'wrong')));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 401]);
  });

  test('behind a pooler a statement that needs its session fails', async () => {
    const pool = createPool({ url: lenient, name: 'session', max: 4 });
    // Two queries at the same time open two connections, between which later queries are moved.
    await Promise.all([pool.query('select pg_sleep(0.1)'), pool.query('select pg_sleep(0.1)')]);
    const ask = () =>
      pool.query({ name: 'prepared', text: 'select $1::int as one', values: [1] }).then(
        () => 'answered',
        () => 'failed',
      );
    const answers = [await ask(), await ask(), await ask()];
    await pool.end();
    assert.ok(answers.includes('failed'));
  });
});

describe('[DATABASE-2] a pooler without a direct address is rejected in one sentence', () => {
  const sentence = /^DATABASE_URL leads through a connection pooler: set DATABASE_DIRECT_URL [^.]+\.$/;
  for (const [name, url] of Object.entries({ 'one that refuses options': strict, 'one that drops them': lenient })) {
    test(name, () =>
      assert.rejects(requireDirectRoute({ databaseUrl: url, databaseDirectUrl: url, isPooled: false }), {
        message: sentence,
      }),
    );
  }

  test('an owner with an address of its own works too, without a role that does not exist yet', async () => {
    const route = { migrationDatabaseUrl: direct.url, isPooled: false };
    await assert.rejects(requireDirectOwner({ ...route, databaseDirectUrl: strict }), { message: sentence });
    const unknown = new URL(direct.url);
    unknown.username = 'role_of_nobody';
    await requireDirectOwner({ ...route, databaseDirectUrl: unknown.href });
  });

  test('a direct address that leads through a pooler is rejected as well', () =>
    assert.rejects(requireDirectRoute({ databaseUrl: strict, databaseDirectUrl: lenient, isPooled: true }), {
      message: /^DATABASE_DIRECT_URL leads through a connection pooler/,
    }));

  test('the database itself is accepted', async () => {
    await requireDirectRoute({ databaseUrl: direct.url, databaseDirectUrl: direct.url, isPooled: false });
  });
});
