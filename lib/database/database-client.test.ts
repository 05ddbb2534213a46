import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openGate } from '../../test/support/gate.ts';
import { createPool } from '../database.ts';
import { clientConfig, LimitedClient, parseTime, READ_ONLY } from './database-client.ts';

const { url, pool } = await createTestDatabase();
const names = async (name: string) =>
  (await pool.query<{ state: string }>('select state from pg_stat_activity where application_name = $1', [name])).rows;
/** The same database at several hosts. */
function addressOf(...urls: string[]): string {
  const address = new URL(urls[0] ?? url);
  const hosts = urls.map((one) => new URL(one).host).join(',');
  return address.href.replace(address.host, hosts);
}

test('[DATABASE-3, DATABASE-6] a session has our settings, and each wait of a client is longer than the server’s', async () => {
  const own = createPool({ url, name: 'settings', limitMs: 4321, max: 1 });
  const { rows } = await own.query(`
    select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement, 2::int8 as whole,
           current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name,
           current_setting('plan_cache_mode') as plans`);
  assert.deepEqual(rows, [
    { zone: 'UTC', statement: '4321ms', whole: 2, idle: '30s', name: 'settings', plans: 'force_generic_plan' },
  ]);
  assert.deepEqual([own.options.max, own.options.idleTimeoutMillis], [1, 30_000]);
  await own.end();
  const usual = clientConfig({ url, name: 'usual' });
  const short = clientConfig({ url, name: 'short', limitMs: 100, connectWithinMs: 50 });
  assert.deepEqual([usual.answerWithinMs, usual.connectionTimeoutMillis], [20_000, 5000]);
  assert.deepEqual([short.answerWithinMs, short.connectionTimeoutMillis], [5100, 50]);
  assert.equal(clientConfig({ url, name: 'pooled', hasSession: false }).options, undefined);
});

test('[DATABASE-3] a server that is silent fails all that waits for it, and no longer works on it', async () => {
  let silences = 0;
  // The server itself would work on it for longer than this test waits.
  const config = clientConfig({ url, name: 'silence', limitMs: 120_000 });
  const client = new LimitedClient({ ...config, answerWithinMs: 50, onSilent: () => silences++ });
  await client.connect();
  Object.assign(client, { pipeline: true });
  const answers = await Promise.allSettled(['select pg_sleep(120)', 'select', 'select'].map((text) => client.query(text)));
  for (const answer of answers) assert.match(String(answer.status === 'rejected' && answer.reason), /Query read timeout/);
  assert.equal(silences, 1);
  await eventually('no connection is left', async () => (await names('silence')).length === 0);
});

test('[DATABASE-3] each answer gives the next statement as long again, and a connection without statements stays', async (t) => {
  const start = globalThis.setTimeout;
  // Node's own mock does not restart a timer.
  const silence = {
    starts: 1,
    end: () => {},
    unref: () => silence,
    refresh: () => Object.assign(silence, { starts: silence.starts + 1 }),
  };
  t.mock.method(globalThis, 'setTimeout', (...timer: Parameters<typeof start>) =>
    timer[1] === 20_000 ? Object.assign(silence, { end: timer[0] }) : start(...timer),
  );
  const client = new LimitedClient(clientConfig({ url, name: 'slow' }));
  await client.connect();
  Object.assign(client, { pipeline: true });
  await Promise.all([1, 2, 3].map((number) => client.query(`select ${number}`)));
  assert.equal(silence.starts, 3, 'once for the first, and once after each answer while others wait');
  silence.end();
  await client.query('select');
  assert.equal(silence.starts, 4);
  // pg reports a value that cannot be sent twice. It counts once, so the next statement is still waited for.
  const unsendable = { toPostgres: () => assert.fail('unsendable') };
  await assert.rejects(client.query('select $1::int', [unsendable]), /unsendable/);
  await client.query('select');
  const last = client.query('select pg_sleep(60)');
  silence.end();
  await assert.rejects(last, /Query read timeout/);
});

test('[DATABASE-3] a time is the one that PostgreSQL means, whatever its year, fraction, and zone', async () => {
  const texts = [
    '2026-02-28 23:59:59',
    '2026-11-26 20:22:52.1',
    '2026-11-26 20:22:52.999999',
    '0001-01-01',
    '0099-12-31 12:00:00.04',
  ];
  const distant = ['9999-12-31 23:59:59.5', '10000-01-01', '12026-11-26 20:22:52.25', '0044-03-15 BC', 'infinity', '-infinity'];
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Los_Angeles']) {
    const client = new LimitedClient(clientConfig({ url, name: 'times' }));
    await client.connect();
    await client.query(`set time zone '${zone}'`);
    const { rows } = await client.query(
      `select time, time::text as text, (floor(extract(epoch from time) * 1000))::float8 as ms
         from unnest($1::text[]) given, cast(given || case when given like '%:%' then '+00' else '' end as timestamptz) time`,
      [[...texts, ...distant]],
    );
    for (const { time, text, ms } of rows) assert.deepEqual([Number(time), Number(parseTime(text))], [ms, ms], text);
    assert.equal(rows.length, texts.length + distant.length);
    await client.end();
  }
});

test('[DATABASE-1] of several hosts, each new connection finds the one that can be written now', async () => {
  const gates = [await openGate(url), await openGate(url)];
  const config = clientConfig({ url: addressOf(...gates.map((gate) => gate.url)), name: 'several' });
  const connect = async () => {
    const client = new LimitedClient(config);
    await client.connect();
    await client.query('select');
    const { port } = client;
    await client.end();
    return gates.find((gate) => new URL(gate.url).port === String(port)) ?? assert.fail(`an unknown port ${port}`);
  };
  const first = await connect();
  await first.shut();
  const second = await connect();
  assert.notEqual(second, first);
  await first.open();
  await second.shut();
  assert.equal(await connect(), first);
  await second.open();
});

test('[DATABASE-3] a host that is away says more than one that can only be read, whatever their order', async () => {
  const { url: readOnly, pool: owner } = await createTestDatabase();
  const database = new URL(readOnly).pathname.slice(1);
  await owner.query(`alter role current_user in database "${database}" set default_transaction_read_only = on`);
  const gate = await openGate(readOnly);
  await gate.shut();
  const codeOf = async (...urls: string[]) => {
    const client = new LimitedClient(clientConfig({ url: addressOf(...urls), name: 'away' }));
    const error = await client.connect().catch((reason: unknown) => reason);
    client.end(() => {});
    return (error as { code?: string }).code;
  };
  assert.equal(await codeOf(gate.url, readOnly), 'ECONNREFUSED');
  assert.equal(await codeOf(readOnly, gate.url), 'ECONNREFUSED');
  assert.equal(await codeOf(readOnly, readOnly), READ_ONLY);
  await gate.open();
});

test('[DATABASE-3] a client that is closed while it looks for its host does not connect, and closing keeps no process alive', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const client = new LimitedClient(clientConfig({ url: addressOf(url, url), name: 'closed early' }));
  const connecting = client.connect();
  client.end(() => {});
  await assert.rejects(connecting, /Client was closed/);
  await eventually('no connection is left', async () => (await names('closed early')).length === 0);
  const last = new LimitedClient(clientConfig({ url, name: 'closing' }));
  await last.connect();
  const timers = countTimers();
  const ended = last.end();
  assert.equal(countTimers(), timers);
  await ended;
});
