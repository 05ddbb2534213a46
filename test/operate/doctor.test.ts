import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setRoleDefaults } from '@case-platform/db/grant';
import { createPool } from '@case-platform/lib/database';
import { listen } from '@case-platform/lib/http-server';
import pg from 'pg';
import { createStorageServer } from '../../apps/storage/server.ts';
import { checkEverything } from '../../scripts/operate/doctor/check-everything.ts';
import { type ConnectionFacts, compareConnections } from '../../scripts/operate/doctor/connection-checks.ts';
import { compareClocks } from '../../scripts/operate/doctor/database-checks.ts';
import type { Finding } from '../../scripts/operate/doctor/finding.ts';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { createEmptyDatabase, createTestDatabase, roleAddresses, serverUrl } from '../support/database.ts';
import { quietLog, TEST_VAPID } from '../support/platform.ts';
import { startPooler } from '../support/pooler.ts';
import { startSink } from '../support/sink.ts';
import { startRedis } from '../support/stack/redis.ts';
import { operate } from './operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const database = await createTestDatabase();
const name = new URL(database.url).pathname.slice(1);
const owner = serverUrl(name);
const roles = roleAddresses(name);
const [webPort = 0, apiPort = 0, adminPort = 0] = await freePorts(3);
const webUrl = `http://localhost:${webPort}`;
const adminUrl = `http://localhost:${adminPort}`;
const credentials = { accessKeyId: 'test', secretAccessKey: 'secret-of-the-tests', region: 'us-east-1' };
const provider = await startSink(200);

async function startStore(origins: string[]): Promise<string> {
  const app = await createStorageServer({
    log: quietLog,
    folder,
    bucket: 'case-platform',
    credentials,
    origins,
    now: () => new Date(),
  });
  after(() => app.close());
  return `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
}
const store = await startStore([webUrl, adminUrl]);
const closedStore = await startStore([]);

const healthy: Record<string, string> = {
  DATA_DIR: folder,
  DATABASE_URL: database.url,
  API_DATABASE_URL: roles.api,
  ADMIN_DATABASE_URL: roles.admin,
  WORKER_DATABASE_URL: roles.worker,
  S3_ENDPOINT: store,
  S3_ACCESS_KEY_ID: credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  S3_FORCE_PATH_STYLE: 'true',
  VAPID_PUBLIC_KEY: TEST_VAPID.publicKey,
  VAPID_PRIVATE_KEY: TEST_VAPID.privateKey,
  WEB_PORT: `${webPort}`,
  API_PORT: `${apiPort}`,
  ADMIN_PORT: `${adminPort}`,
  WEB_URL: webUrl,
  API_URL: `http://localhost:${apiPort}`,
  ADMIN_URL: adminUrl,
  SENDGRID_API_KEY: 'key-of-the-tests',
  SENDGRID_BASE_URL: provider.origin,
  TWILIO_ACCOUNT_SID: 'AC0',
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_FROM: '+12025550100',
  TWILIO_BASE_URL: provider.origin,
};

/** Runs the program like an operator does, with its findings as JSON. */
async function runDoctor(changes: Record<string, string> = {}, args: string[] = []) {
  const { code, output, errors } = await operate('scripts/operate.mjs', ['doctor', '--json', ...args], {
    ...healthy,
    ...changes,
  });
  assert.equal(errors, '');
  const { ok, checks } = JSON.parse(output) as { ok: boolean; checks: Finding[] };
  assert.equal(ok, code === 0);
  assert.equal(
    ok,
    checks.every(({ state }) => state !== 'fail'),
  );
  return checks;
}

/** Makes the same checks in this process, because each start of the program takes half a second of computing time. */
async function check(changes: Record<string, string> = {}) {
  const checks = await checkEverything(1, { ...healthy, ...changes });
  return { checks, of: (name: string) => checks.find((finding) => finding.check === name) };
}

/** The finding of a check that has a warning or a failure. */
async function finds(name: string, changes: Record<string, string>): Promise<string> {
  return explain(name, (await check(changes)).of(name));
}

function explain(name: string, finding: Finding | undefined): string {
  assert.ok(finding !== undefined && finding.advice !== undefined, `${name}: ${JSON.stringify(finding)}`);
  return `${finding.state} ${finding.found}`;
}

describe('[OPERATE-2] npm run doctor', () => {
  test('[OPERATE-2] a healthy platform has one line for each check, and none reveals a secret', async () => {
    const { code, output } = await operate('scripts/operate.mjs', ['doctor'], healthy);
    assert.equal(code, 0, output);
    const states = Object.fromEntries(
      output
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/, 2).reverse()),
    );
    const checks = await runDoctor();
    assert.equal(output.trim().split('\n').length, checks.length);
    const silent = checks.filter(({ state, check }) => state !== 'ok' && !['extensions', 'proxy', 'connections'].includes(check));
    assert.deepEqual(silent, []);
    for (const name of ['settings', 'database', 'migrations', 'clock', 'vapid']) assert.equal(states[name], 'ok', output);
    for (const name of ['DATABASE_URL', 'S3_SECRET_ACCESS_KEY', 'VAPID_PRIVATE_KEY', 'SENDGRID_API_KEY'])
      assert.ok(!output.includes(healthy[name] ?? ''), name);
  });

  test('[OPERATE-2] each wrong setting has its own line', async () => {
    const checks = await runDoctor({ API_PORT: 'many', STRICT_PAGE_GUARD: 'perhaps' });
    const settings = checks.filter(({ check, state }) => check === 'settings' && state === 'fail');
    assert.deepEqual(settings.map(({ found }) => found.split(' ')[0]).sort(), ['API_PORT', 'STRICT_PAGE_GUARD']);
  });

  test('[OPERATE-2] a database that is away or not prepared is reported', async () => {
    const away = healthy.DATABASE_URL?.replace(/@[^/]+/, '@127.0.0.1:1') ?? '';
    assert.match(await finds('database', { DATABASE_URL: away }), /^fail .*ECONNREFUSED/);
    const empty = await createEmptyDatabase();
    const { of } = await check({ DATABASE_URL: empty.ownerUrl });
    for (const name of ['migrations', 'queue', 'administrators', 'append-only', 'months'])
      assert.equal(of(name)?.state, 'fail', name);
  });

  test('[OPERATE-2] migrations that are missing, changed, or of a newer version are reported', async () => {
    await withMigrations(`delete from schema_migration where name = (select max(name) from schema_migration)`, async () =>
      assert.match(await finds('migrations', {}), /^fail Missing: \d{4}_\w+\.sql\.$/),
    );
    await withMigrations(
      `update schema_migration set checksum = 'x' where name = (select min(name) from schema_migration)`,
      async () => assert.match(await finds('migrations', {}), /^fail 0001_.* differs from what was applied/),
    );
    await withMigrations(`insert into schema_migration (name, checksum) values ('9999_later.sql', 'x')`, async () =>
      assert.match(await finds('migrations', {}), /^warn A newer version has run here: 9999_later/),
    );
  });

  test('[OPERATE-2] a role that owns the tables, and a log that could be changed, are reported', async () => {
    assert.match(await finds('roles', { DATABASE_URL: owner }), /^warn The role of DATABASE_URL (is a superuser|owns)/);
    await run('alter table audit_entry disable trigger audit_entry_is_append_only');
    assert.match(await finds('append-only', {}), /^fail Entries of audit_entry could be changed/);
    await run('alter table audit_entry enable trigger audit_entry_is_append_only');
  });

  test('[RETAIN-2] partitions that are missing, and rows without one, are reported', async () => {
    await run(`insert into delivery (delivery_key, channel, event, recipient, created_at)
               values ('far', 'email', 'new_message', 'x@demo.test', now() + interval '3 years')`);
    assert.match(await finds('months', {}), /^warn Rows are in the default partition: delivery \(1\)\.$/);
    await run(`delete from delivery where delivery_key = 'far'`);
    await run(`select drop_months('sign_in', now() + interval '1 year')`);
    assert.match(await finds('months', {}), /^warn Partitions of the next two months are missing: sign_in\.$/);
    await run('select create_months(now())');
    assert.equal((await check()).of('months')?.state, 'ok');
  });

  test('[OPERATE-2] a process role that has too few or too many rights, or cannot sign in, is reported', async () => {
    await run('revoke select on case_file from case_platform_api');
    await run('grant select (password_hash) on user_account to case_platform_worker');
    const { checks } = await check({ ADMIN_DATABASE_URL: roles.admin.replace(/:[^:]+@/, ':wrong@') });
    await run('grant select on case_file to case_platform_api');
    await run('revoke select (password_hash) on user_account from case_platform_worker');
    const findings = checks.filter(({ check, state }) => check === 'roles' && state !== 'ok');
    assert.deepEqual(
      findings.map(({ state, found: line }) => `${state} ${line}`),
      [
        'fail API_DATABASE_URL: 1 missing rights, such as case_file r.',
        'fail ADMIN_DATABASE_URL cannot be used: 28P01.',
        'warn WORKER_DATABASE_URL: the role has more rights than the process needs, such as public.user_account.password_hash r.',
      ],
    );
  });

  test('[OPERATE-2] [SCALE-3] a pooler that does not track prepared statements is reported', async () => {
    const prepare = createPool({ url: owner, name: 'owner', max: 1 });
    await setRoleDefaults(prepare, database.url);
    await prepare.end();
    const through = async (tracks: boolean) => ({
      DATABASE_URL: await startPooler(database.url, { tracks: () => tracks }),
      DATABASE_DIRECT_URL: database.url,
    });
    assert.match(await finds('pooler', await through(false)), /^warn The pooler does not track prepared statements/);
    assert.equal((await check(await through(true))).of('pooler')?.state, 'ok');
  });

  test('[OPERATE-2] [SCALE-5] a replica that is no standby is reported', async () => {
    assert.match(
      await finds('replica', { DATABASE_REPLICA_URL: database.url }),
      /^warn It is not used: the replica is not a standby\.$/,
    );
  });

  test('[OPERATE-2] [SCALE-1] a Redis that does not answer is reported', async () => {
    const server = await startRedis();
    const checkRedis = async () => (await check({ REDIS_URL: server.url })).of('redis');
    assert.deepEqual(await checkRedis(), { check: 'redis', state: 'ok', found: 'It answers.' });
    await server.kill();
    assert.equal(explain('redis', await checkRedis()), 'warn It is not used: ECONNREFUSED.');
  });

  test('[OPERATE-2] [OPERATE-8] more connections than the server accepts, and clocks that differ, are reported', async () => {
    assert.match(
      explain(
        'connections',
        (await runDoctor({}, ['--of-each', '99'])).find(({ check }) => check === 'connections'),
      ),
      /^fail The processes \(99 API, 99 staff, 99 worker\) may open 4653 connections, but the server accepts \d+/,
    );
    assert.deepEqual(
      [900, -1500, 60_000].map((ms) => compareClocks(ms).state),
      ['ok', 'warn', 'fail'],
    );
  });

  test('[OPERATE-8] a database and a role that accept fewer connections than the processes open are reported', async () => {
    await run(`create role doctor_limited login password 'password-of-the-tests' connection limit 10`);
    await run(`alter database "${name}" connection limit 40`);
    const limited = new URL(roles.api);
    limited.username = 'doctor_limited';
    const { checks } = await check({ API_DATABASE_URL: limited.href });
    await run(`alter database "${name}" connection limit -1`);
    await run('drop role doctor_limited');
    const findings = checks.filter(({ check, state }) => check === 'connections' && state === 'fail');
    assert.deepEqual(
      findings.map(({ found, advice }) => `${found} ${advice}`),
      [
        `The processes (1 API, 1 staff, 1 worker) may open 47 connections, but the database accepts 40. Run \`alter database "${name}" connection limit 94\`, or more.`,
        'The processes (1 API) may open 11 connections, but the role doctor_limited accepts 10. Run `alter role "doctor_limited" connection limit 22`, or more.',
      ],
    );
  });

  test('[OPERATE-8] more processes that are connected than --of-each says are counted', async () => {
    const client = () => new pg.Client({ connectionString: roles.api, application_name: 'listen chain_event' });
    const listening = [client(), client(), client()];
    for (const one of listening) await one.connect();
    const { of } = await check();
    for (const one of listening) await one.end();
    assert.match(of('connections')?.found ?? '', /^The processes \(3 API, 1 staff, 1 worker\) may open 69 connections/);
  });

  test('[OPERATE-8] connections are compared with what is left after reserved ones, other programs, and a pooler', () => {
    const shared = { api: 'app', admin: 'app', worker: 'app' };
    const facts = { roles: shared, isPooled: false, maxConnections: 100, reserved: 3, others: 0, database: 'platform' };
    const compare = (processes: number, changes: Partial<ConnectionFacts> = {}) => {
      const each = { api: processes, admin: processes, worker: processes };
      const findings = compareConnections({ ...facts, databaseLimit: -1, roleLimits: { app: -1 }, processes: each, ...changes });
      return findings.map(({ state, found, advice = '' }) => `${state} ${found} ${advice}`.trim());
    };
    assert.deepEqual(compare(1), [
      'ok The processes (1 API, 1 staff, 1 worker) may open 47 connections, and the server accepts 97.',
    ]);
    assert.deepEqual(compare(1, { others: 4 }), [
      'warn The processes (1 API, 1 staff, 1 worker) may open 47 connections, and the server accepts 97, of which other programs use 4; one more of each, while they are replaced, needs 94. Set max_connections to 101 or more and restart PostgreSQL, or use a pooler (DATABASE_DIRECT_URL).',
    ]);
    assert.deepEqual(compare(2, { others: 4 }), [
      'fail The processes (2 API, 2 staff, 2 worker) may open 94 connections, but the server accepts 97, of which other programs use 4. Set max_connections to 148 or more and restart PostgreSQL, or use a pooler (DATABASE_DIRECT_URL).',
    ]);
    const pooled = { isPooled: true, roles: { ...shared, api: 'api', admin: 'admin' } };
    assert.deepEqual(compare(1, pooled), [
      'ok The processes (1 API, 1 staff, 1 worker) may open 27 connections, and the server accepts 97. The pooler can open 43 more, so its default_pool_size can be 21 for each role.',
    ]);
    assert.match(
      compare(3, pooled)[0] ?? '',
      /^warn .* needs 108\. Set max_connections to 113 or more and restart PostgreSQL\.$/,
    );
    assert.match(
      compare(1, { roleLimits: { app: 93 } })[0] ?? '',
      /^warn .* the role app accepts 93; .* needs 94\. Run `alter role "app"/,
    );
  });

  test('[OPERATE-2] a platform without an admin who manages roles is reported', async () => {
    await run(`update user_account set status = 'deactivated' where user_type = 'admin'`);
    assert.match(await finds('administrators', {}), /^warn No active administrator exists/);
    await run(`update user_account set status = 'active' where user_type = 'admin'`);
  });

  test('[OPERATE-2] a bucket with another key, without CORS, or with a policy that is not enforced is reported', async () => {
    assert.match(await finds('bucket', { S3_SECRET_ACCESS_KEY: 'another-secret' }), /^fail /);
    assert.match(await finds('bucket CORS', { S3_ENDPOINT: closedStore }), /^fail Pages of .* may not send files there/);
    const careless = await startSink(200);
    assert.match(
      await finds('bucket policy', { S3_ENDPOINT: careless.origin }),
      /^fail An upload that is too large was accepted/,
    );
  });

  test('[OPERATE-2] providers that reject the key or are away, and a push key that is not a pair, are reported', async () => {
    const refusing = await startSink(401);
    assert.match(await finds('mail', { SENDGRID_BASE_URL: refusing.origin }), /^fail SendGrid answered 401/);
    assert.match(await finds('mail', { SENDGRID_BASE_URL: 'http://127.0.0.1:1' }), /^fail SendGrid cannot be reached: /);
    assert.match(await finds('sms', { TWILIO_BASE_URL: refusing.origin }), /^fail Twilio answered 401/);
    const other = 'BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo';
    assert.match(await finds('vapid', { VAPID_PUBLIC_KEY: other }), /^fail The public key does not belong/);
    assert.match(await finds('vapid', { VAPID_SUBJECT: 'https://localhost' }), /^warn Apple/);
  });

  test('[OPERATE-2] a port that another program uses, and a proxy that is not named, are reported', async () => {
    const stranger = createServer((socket) => socket.end()).listen(apiPort, '127.0.0.1');
    after(() => stranger.close());
    assert.match(await finds('ports', {}), new RegExp(`^fail Not available: API_PORT ${apiPort} \\(EADDRINUSE\\)`));
    assert.match(await finds('proxy', { WEB_URL: 'https://web.company.test' }), /^warn The addresses are https, but no proxy/);
  });

  test('[OPERATE-2] unknown arguments are rejected with the usage', async () => {
    for (const args of [['--of-each', 'two'], ['--all']]) {
      const { code, errors } = await operate('scripts/operate.mjs', ['doctor', ...args], healthy);
      assert.deepEqual([code, errors.startsWith('Use: npm run doctor')], [1, true]);
    }
  });
});

/** Runs a statement as the schema's owner. */
async function run(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: owner });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Restores the list of migrations after the work. */
async function withMigrations(statement: string, work: () => Promise<void>): Promise<void> {
  await run('create table original as select * from schema_migration');
  await run(statement);
  await work();
  await run('truncate schema_migration; insert into schema_migration select * from original; drop table original');
}
