import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setRoleDefaults } from '@case-platform/db/grant';
import { createDatabase, createPool, isDatabaseUnavailable } from '@case-platform/lib/database';
import { clientConfig, LimitedClient } from '@case-platform/lib/database/database-client';
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
async function openPooled(tracks?: () => boolean): Promise<Pool> {
  const url = await startPooler(direct.url, { tracks });
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

describe('[SCALE-3] named statements behind a pooler', () => {
  const signInAndRead = async (pool: Pool) => {
    await prepareRole(direct);
    const api = await startApi({ database: { url: direct.url, pool, db: createDatabase(pool) }, limits: { login: 1_000 } });
    const parent = await api.as('parent');
    const { email_address, user_type } = CAST.parent;
    const signIn = (pass_hash: string) => api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        at % 3 === 0 ? parent.get('/api/messages') : signIn(at % 3 === 1 ? DEMO_PASSWORD : 'wrong'),
      ),
    );
    return answers.map(({ status }) => status);
  };
  const expected = Array.from({ length: 24 }, (_, at) => (at % 3 === 2 ? 401 : 200));
  /** Lists the statements of each server connection that the pool can reach, without preparing one. */
  const listPrepared = async (pool: Pool) => {
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    const ask = `select pg_backend_pid() as pid, array(select name from pg_prepared_statements order by 1)::text[] as names`;
    const servers = new Map<number, string[]>();
    for (const client of [...clients, ...clients]) {
      const { rows } = await client.query<{ pid: number; names: string[] }>(ask);
      for (const { pid, names } of rows) servers.set(pid, names);
    }
    for (const client of clients) client.release();
    return [...servers.values()];
  };

  test('[SCALE-3] an older pooler, which passes names on, gets none: every call is answered', async () => {
    const pool = await openPooled();
    assert.deepEqual(await signInAndRead(pool), expected);
    const names = await listPrepared(pool);
    assert.deepEqual([...new Set(names.flat())], ['pooler_probe']);
  });

  test('[SCALE-3] a pooler that tracks names gets them, and has each text once for all connections', async () => {
    const pool = await openPooled(() => true);
    assert.deepEqual(await signInAndRead(pool), expected);
    const names = await listPrepared(pool);
    assert.ok(
      names.some((ofServer) => ofServer.length > 5),
      JSON.stringify(names),
    );
    for (const name of names.flat()) assert.match(name, /^POOLER_\d+$/);
  });

  test('[SCALE-3] a statement that fails does not spoil the statements after it', async () => {
    const pool = await openPooled(() => true);
    const divide = (by: number) => pool.query({ name: 'divide', text: 'select 1 / $1::int as result', values: [by] });
    const misspell = () => pool.query({ name: 'misspelled', text: 'selekt $1::int', values: [1] });
    for (const by of [0, 1, 0, 1]) {
      await assert.rejects(misspell(), { code: '42601' });
      if (by === 0) await assert.rejects(divide(by), { code: '22012' });
      else assert.deepEqual((await divide(by)).rows, [{ result: 1 }]);
    }
  });

  test('[SCALE-3] when a pooler stops tracking, a connection has one outage and works without names afterwards', async () => {
    let isTracked = true;
    const url = await startPooler(direct.url, { tracks: () => isTracked });
    const pool = createPool({ url, name: 'reloaded', max: 1, hasSession: false, connectWithinMs: PATIENCE_MS });
    after(() => pool.end());
    const ask = () => pool.query({ name: 'ask', text: 'select $1::int as one', values: [1] });
    await ask();
    isTracked = false;
    await assert.rejects(ask(), (error: Error) => isDatabaseUnavailable(error) && /"ask" does not exist/.test(error.message));
    for (let time = 0; time < 3; time += 1) assert.deepEqual((await ask()).rows, [{ one: 1 }]);
  });

  test('[SCALE-3] a server connection that was used before names were tracked gets none, and a new one does', async () => {
    let isTracked = false;
    const url = await startPooler(direct.url, { tracks: () => isTracked });
    const probe = async () => {
      const client = new LimitedClient(clientConfig({ url, name: 'probe', hasSession: false }));
      after(() => client.end());
      await client.connect();
      return client.canPrepare;
    };
    assert.equal(await probe(), false);
    isTracked = true;
    // The pooler gives a client another server connection than the one on which it signed in: here first the old one.
    assert.equal(await probe(), false);
    assert.equal(await probe(), true);
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
