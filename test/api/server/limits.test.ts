import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createCallCounter } from '@case-platform/lib/call-counter';
import type { Executor } from '@case-platform/lib/sql';
import pg from 'pg';
import { CASE_1, CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { serverUrl } from '../../support/database.ts';
import { type Answer, type Client, quietLog, startApi } from '../../support/platform.ts';

/** Limits of calls and messages, checked at the limit and one step beyond, in two processes that share a database. */

const MINUTE = 60_000;
let clock = Date.now();
/** Moves the clock 20 seconds into a new minute, but not a tenth one, in which old counts are also deleted. */
const nextMinute = () => {
  const next = Math.floor(clock / MINUTE) + 1;
  clock = (next % 10 === 0 ? next + 1 : next) * MINUTE + 20_000;
};
const limits = { calls_person: 6, calls_address: 1000, messages: 3 };
const options = { now: () => new Date(clock), limits, trustProxy: '127.0.0.1' };
const one = await startApi(options);
const other = await startApi({ ...options, database: one });

const asked = (client: Client, ip = '203.0.113.1') =>
  client.call('GET', '/api/messages/unread/count', { headers: { 'x-forwarded-for': ip } });
const statuses = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status);
const write = (client: Client, message: string, key?: string) =>
  client.form('/api/messages', { message, case_id: String(CASE_1) }, [], key === undefined ? {} : { 'idempotency-key': key });

describe('[RATE-1] calls of a person', () => {
  test('calls up to the limit per minute succeed at both processes together, then both answer 429 until the next minute', async () => {
    nextMinute();
    const [here, there] = [await one.as('parent'), await other.as('parent')];
    for (let at = 0; at < 6; at += 1) assert.equal((await asked(at % 2 === 0 ? here : there)).status, 200, `call ${at + 1}`);
    for (const client of [here, there]) {
      const refused = await asked(client);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '40');
      assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.deepEqual([refused.body.code, refused.body.status], ['too_many_requests', 429]);
      assert.match(refused.body.message, /40 seconds/);
    }
    assert.equal((await asked(await one.as('surrogate'))).status, 200, 'no one else is limited');
    nextMinute();
    assert.equal((await asked(there)).status, 200);
  });

  test('of forty calls at once in two processes, at most half a limit too many succeed, and the next call is rejected', async () => {
    nextMinute();
    const clients = [await one.as('parent2'), await other.as('parent2')] as const;
    const all = await statuses(Array.from({ length: 40 }, (_, at) => asked(clients[at % 2 === 0 ? 0 : 1])));
    const answered = all.filter((status) => status === 200).length;
    // In the lower half of a limit a process does not look up what the other one has counted.
    assert.ok(answered >= 6 && answered <= 6 + 6 / 2, `${answered} were answered`);
    assert.equal(all.filter((status) => status === 429).length, 40 - answered);
    assert.deepEqual(await statuses(clients.map((client) => asked(client))), [429, 429]);
  });

  test('an agency is counted by its key, for all of its systems', async () => {
    nextMinute();
    const key = { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' };
    const tell = (id: number) => one.anonymous.post('/webhook', { id: `limit-${id}`, type: 'x' }, key);
    for (let at = 0; at < 6; at += 1) assert.equal((await tell(at)).status, 202);
    assert.equal((await tell(6)).status, 429);
  });

  test('a person and an agency of the same number are counted by themselves', async () => {
    const api = await startApi({ ...options, limits: { calls_person: 2, calls_address: 1000, messages: 2 }, database: one });
    nextMinute();
    const { rows } = await one.pool.query('select email_address from user_account where id = (select min(id) from agency)');
    const name = Object.entries(CAST).find(([, { email_address }]) => email_address === rows[0]?.email_address)?.[0] as CastName;
    const person = await api.as(name);
    const key = { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' };
    const tell = (id: number) => api.anonymous.post('/webhook', { id: `own-${id}`, type: 'x' }, key);
    assert.deepEqual(await statuses([tell(1), tell(2)]), [202, 202]);
    assert.equal((await tell(3)).status, 429);
    assert.deepEqual(await statuses([asked(person), asked(person)]), [200, 200]);
    assert.equal((await asked(person)).status, 429);
  });
});

describe('[RATE-1, RATE-2] calls of an address', () => {
  const strict = { ...options, limits: { ...limits, calls_person: 1000, calls_address: 6 } };

  test('an address over its limit gets 429 before anything is read, signed in or not; others are not delayed', async () => {
    const api = await startApi({ ...strict, database: one });
    nextMinute();
    const clients = [await api.as('parent'), await api.as('surrogate'), api.anonymous];
    for (let at = 0; at < 6; at += 1) {
      const { status } = await asked(clients[at % 3] as Client, '203.0.113.9');
      assert.equal(status, at % 3 === 2 ? 401 : 200);
    }
    for (const client of clients) {
      const refused = await asked(client, '203.0.113.9');
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '40']);
    }
    const elsewhere = await api.anonymous.call('GET', '/nowhere', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(elsewhere.status, 429, 'also where nothing is');
    assert.equal((await asked(clients[0] as Client, '203.0.113.10')).status, 200);
    nextMinute();
    assert.equal((await asked(clients[0] as Client, '203.0.113.9')).status, 200);
  });

  test('addresses of one IPv6 network count as one', async () => {
    const api = await startApi({ ...strict, database: one });
    nextMinute();
    const parent = await api.as('parent');
    for (let at = 0; at < 6; at += 1) assert.equal((await asked(parent, `2001:db8:1:2::${at}`)).status, 200);
    assert.equal((await asked(parent, '2001:db8:1:2:ffff::1')).status, 429);
    assert.equal((await asked(parent, '2001:db8:1:3::1')).status, 200);
  });

  test('probes, and calls with the master key, are not counted', async () => {
    const api = await startApi({ ...strict, database: one });
    nextMinute();
    const headers = { 'x-forwarded-for': '203.0.113.20' };
    for (let at = 0; at < 8; at += 1) {
      assert.equal((await api.anonymous.call('GET', '/health/live', { headers })).status, 200);
      assert.equal((await api.anonymous.post('/internal/notification/send', {}, headers)).status, 401);
    }
    assert.equal((await asked(await api.as('parent'), '203.0.113.20')).status, 200);
  });
});

test('[RATE-6] each counted answer says what is left of each limit and what is allowed', async () => {
  const api = await startApi({ ...options, limits: { calls_person: 4, calls_address: 9, messages: 1, login: 1 }, database: one });
  nextMinute();
  const parent = await api.as('parent');
  const unread = '/api/messages/unread/count';
  const agency = { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' };
  const signIn = { email_address: 'owner@demo.test', user_type: 'agency_owner', pass_hash: 'wrong' };
  const [address, person, messages] = ['"calls_address";q=9;w=60', '"calls_person";q=4;w=60', '"messages";q=1;w=60'];
  const rows: [what: string, call: () => Promise<Answer>, status: number, policy: string | null, left: number[]][] = [
    ['a call without a token', () => api.anonymous.get(unread), 401, address, [8]],
    ['a call of a person', () => parent.get(unread), 200, `${address}, ${person}`, [7, 3]],
    ['a message', () => write(parent, 'One'), 201, `${address}, ${person}, ${messages}`, [6, 2, 0]],
    ['a message above the limit', () => write(parent, 'Two'), 429, `${address}, ${person}, ${messages}`, [5, 1, 0]],
    ['the last call', () => parent.get(unread), 200, `${address}, ${person}`, [4, 0]],
    ['a call above the limit', () => parent.get(unread), 429, `${address}, ${person}`, [3, 0]],
    ['an address without a route', () => api.anonymous.get('/nowhere'), 404, address, [2]],
    ['a wrong password', () => api.anonymous.post('/api/user/auth/login', signIn), 401, address, [1]],
    ['an event of an agency', () => api.anonymous.post('/webhook', {}, agency), 422, `${address}, ${person}`, [0, 3]],
    ['the next call of the address', () => api.anonymous.get(unread), 429, address, [0]],
    ['a probe', () => api.anonymous.get('/health/live'), 200, null, []],
  ];
  for (const [what, call, status, policy, left] of rows) {
    const { headers, ...answer } = await call();
    assert.equal(answer.status, status, what);
    assert.equal(headers.get('ratelimit-policy'), policy, what);
    const names = (policy ?? '').split(', ').map((item) => item.split(';')[0]);
    const expected = left.map((remaining, at) => `${names[at]};r=${remaining};t=40`).join(', ');
    assert.equal(headers.get('ratelimit') ?? '', expected, what);
    if (status === 429) assert.equal(headers.get('retry-after'), '40', what);
  }
  nextMinute();
  const refused = await api.anonymous.post('/api/user/auth/login', signIn);
  assert.equal(refused.headers.get('ratelimit-policy'), `${address}, "login";q=1;w=900`);
  assert.equal(refused.headers.get('ratelimit'), `"calls_address";r=8;t=40, "login";r=0;t=${refused.headers.get('retry-after')}`);
  const stream = await fetch(`${api.baseUrl}/api/messages/events`, { headers: { authorization: `Bearer ${parent.token}` } });
  assert.equal(stream.headers.get('ratelimit-policy'), `${address}, ${person}`);
  assert.equal(stream.headers.get('ratelimit'), '"calls_address";r=7;t=40, "calls_person";r=3;t=40');
  await stream.body?.cancel();
});

describe('[RATE-1] messages of a person', () => {
  test('[RATE-6] questions about requests count together with messages, also those that are rejected', async () => {
    const parent = await one.as('parent2');
    const ask = () => parent.post('/api/disbursements/999999/question', { text: 'Is this yours?' });
    for (const left of [2, 1]) {
      const { status, headers } = await ask();
      assert.equal(status, 404);
      assert.match(headers.get('ratelimit') ?? '', new RegExp(`"messages";r=${left};t=40$`));
    }
    assert.equal((await write(parent, 'The third')).status, 201);
    assert.deepEqual([(await ask()).status, (await write(parent, 'The fifth')).status], [429, 429]);
  });

  test('new conversations and replies together succeed up to the limit per minute, then 429, and the same key sends the message later, once', async () => {
    const api = await startApi({ ...options, limits: { ...limits, calls_person: 1000 }, database: one });
    nextMinute();
    const parent = await api.as('parent');
    const { body, status } = await write(parent, 'One');
    assert.equal(status, 201);
    const reply = (message: string, key: string) =>
      parent.form(`/api/messages/${body.chain.id}`, { message }, [], { 'idempotency-key': key });
    assert.equal((await reply('Two', 'limit-two')).status, 201);
    assert.equal((await reply('Three', 'limit-three')).status, 201);
    const refused = await reply('Four', 'limit-four');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '40']);
    assert.match(refused.body.message, /3 messages in a minute/);
    assert.equal((await write(parent, 'Five')).status, 429);
    assert.equal((await asked(parent)).status, 200, 'reading goes on');
    nextMinute();
    const [first, again] = [await reply('Four', 'limit-four'), await reply('Four', 'limit-four')];
    assert.deepEqual([first.status, again.status, again.body.message.id], [201, 201, first.body.message.id]);
  });
});

describe('[RATE-1] the counter', () => {
  test('the counter queries the database once for many calls, and never in the lower half of a limit', async (t) => {
    nextMinute();
    // The timer that would write the counts to the database after half a second is stopped.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let questions = 0;
    const pool = new Proxy(one.pool, {
      get: (target, name) => {
        if (name === 'query') questions += 1;
        return Reflect.get(target, name);
      },
    });
    const counter = createCallCounter({
      pool,
      log: quietLog,
      now: () => new Date(clock),
      limits: { calls: { most: 100, words: () => 'Wait.' } },
    });
    await Promise.all(Array.from({ length: 20 }, () => counter.count('calls', 'somebody')));
    assert.equal(questions, 1, 'the first of a minute hear of the others by one question');
    for (let at = 0; at < 30; at += 1) await counter.count('calls', 'somebody');
    assert.equal(questions, 1);
    await counter.stop();
    assert.equal(questions, 2, 'those thirty are written at once');
    const { rows } = await one.pool.query('select max(calls) as calls from call_count where minute = $1', [(clock / MINUTE) | 0]);
    assert.equal(rows[0].calls, 50);
  });

  test('the counter writes people in the same order as other processes, so that two never wait for each other', async () => {
    const written: string[][] = [];
    const pool: Executor = {
      async query(statement) {
        written.push(statement.values.find(Array.isArray) as string[]);
        return one.pool.query(statement);
      },
    };
    const limits = { order: { most: 100, words: () => 'Wait.' } };
    const counter = createCallCounter({ pool, log: quietLog, now: () => new Date(clock), limits });
    await Promise.all(Array.from('abcdefgh', (person) => counter.count('order', person)));
    await counter.stop();
    assert.deepEqual(written, [written[0]?.toSorted()]);
  });

  test('calls that are not written before their minute ends are not added to the next minute', async () => {
    const limits = { turns: { most: 6, words: () => 'Wait.' } };
    const counterAt = (now: () => Date) => createCallCounter({ pool: one.pool, log: quietLog, now, limits });
    let time = clock;
    const [before, later] = [counterAt(() => new Date(time)), counterAt(() => new Date(clock + MINUTE))];
    for (let at = 0; at < 3; at += 1) await before.count('turns', 'somebody');
    await later.count('turns', 'somebody');
    time += MINUTE;
    await before.stop();
    await later.count('turns', 'somebody');
    await later.stop();
    const third = await later.count('turns', 'somebody');
    await later.stop();
    assert.equal(third.remaining, 3);
  });

  test('processes whose clocks differ by a minute count together in the later minute', async () => {
    nextMinute();
    const limitOf = (ms: number) =>
      createCallCounter({
        pool: one.pool,
        log: quietLog,
        now: () => new Date(clock + ms),
        limits: { clocks: { most: 6, words: () => 'Wait.' } },
      });
    const [late, onTime] = [limitOf(-MINUTE), limitOf(0)];
    for (let at = 0; at < 4; at += 1) await onTime.count('clocks', 'somebody');
    await onTime.stop();
    for (let at = 0; at < 2; at += 1) await late.count('clocks', 'somebody');
    await late.stop();
    for (const counter of [late, onTime]) await assert.rejects(counter.count('clocks', 'somebody'), { status: 429 });
    // The next minute begins when the first process reaches it.
    clock += MINUTE;
    await onTime.count('clocks', 'somebody');
    await onTime.stop();
    await late.stop();
  });

  test('the counter never fails a call: without its table each process counts by itself', async () => {
    const owner = new pg.Client({ connectionString: serverUrl(new URL(one.url).pathname.slice(1)) });
    await owner.connect();
    after(() => owner.end());
    await owner.query('alter table call_count rename to call_count_away');
    nextMinute();
    const parent = await one.as('parent');
    for (let at = 0; at < 6; at += 1) assert.equal((await asked(parent)).status, 200);
    assert.equal((await asked(parent)).status, 429, 'its own count still holds');
    await owner.query('alter table call_count_away rename to call_count');
    nextMinute();
    assert.equal((await asked(parent)).status, 200);
  });

  test('the counter removes people who no longer call', async () => {
    clock = Math.ceil(clock / (10 * MINUTE)) * 10 * MINUTE + 20_000;
    const minute = Math.floor(clock / MINUTE);
    const rows = { 'long ago': 1, 'eleven minutes ago': minute - 11, 'ten minutes ago': minute - 10, now: minute };
    for (const [subject, of] of Object.entries(rows))
      await one.pool.query('insert into call_count values ($1, $2, 1)', [subject, of]);
    await asked(await one.as('owner'));
    await asked(await one.as('owner'));
    const { rows: left } = await one.pool.query('select subject from call_count where subject = any($1) order by minute', [
      Object.keys(rows),
    ]);
    assert.deepEqual(
      left.map(({ subject }) => subject),
      ['ten minutes ago', 'now'],
    );
  });
});

describe('[SIGN-IN-4] failed sign-ins', () => {
  const strict = { ...options, limits: { login: 2, login_address: 1000, login_account: 3 } };
  const login = (client: Client, ip: string, pass_hash: string) =>
    client.post(
      '/api/user/auth/login',
      { email_address: 'manager@demo.test', user_type: 'case_manager', pass_hash },
      { 'x-forwarded-for': ip },
    );

  test('an owner whose password is guessed from many addresses can sign in from a new one with a mailed link', async () => {
    // The worker creates the link by the clock of the machine.
    clock = Date.now();
    const api = await startApi({ ...strict, database: one });
    await api.pool.query('delete from sign_in');
    for (let at = 0; at < 3; at += 1) {
      assert.equal((await login(api.anonymous, `198.51.100.${at}`, 'wrong')).status, 401);
    }
    const home = '203.0.113.77';
    const refused = await login(api.anonymous, home, passwordOf('manager'));
    assert.deepEqual([refused.status, refused.body.code], [429, 'unfamiliar_address']);
    assert.ok(Number(refused.headers.get('retry-after')) > 80_000);

    const here = { 'x-forwarded-for': home };
    const pair = { email_address: 'manager@demo.test', user_type: 'case_manager' };
    assert.equal((await api.anonymous.post('/api/user/auth/password-reset/request', pair, here)).status, 202);
    await api.work();
    const { rows } = await api.pool.query(
      `select content->>'text' as text from delivery where event = 'password_reset' order by id desc limit 1`,
    );
    const token = /token=([\w-]+)/.exec(rows[0].text)?.[1];
    const pass_hash = 'Harbour-Lantern-42';
    assert.equal((await login(api.anonymous, home, 'wrong')).status, 429, 'requesting the link is not enough');
    assert.equal((await api.anonymous.post('/api/user/auth/password-reset/confirm', { token, pass_hash }, here)).status, 200);
    assert.equal((await login(api.anonymous, home, pass_hash)).status, 200);
    assert.equal((await login(api.anonymous, '198.51.100.9', pass_hash)).status, 429, 'everywhere else it stays closed');
    assert.equal((await login(api.anonymous, home, 'wrong')).status, 401);
    assert.equal((await login(api.anonymous, home, 'wrong')).status, 401);
    assert.equal((await login(api.anonymous, home, pass_hash)).status, 429, 'and there the limit of an address holds');
    await api.pool.query(`update password_reset set used_at = used_at - interval '91 days'`);
    await api.pool.query(`delete from sign_in`);
    await api.pool.query(`delete from throttle where key like 'login:%'`);
    assert.equal((await login(api.anonymous, home, pass_hash)).status, 429, '90 days later it is a new place again');
  });

  test('one address can request links up to the limit, for any accounts, then 429', async () => {
    const api = await startApi({ ...options, limits: { reset_address: 2 }, database: one });
    const ask = (name: string, ip: string) =>
      api.anonymous.post(
        '/api/user/auth/password-reset/request',
        { email_address: `${name}@demo.test`, user_type: 'surrogate' },
        { 'x-forwarded-for': ip },
      );
    assert.deepEqual([(await ask('a', '2001:db8::1')).status, (await ask('b', '2001:db8::2')).status], [202, 202]);
    const refused = await ask('c', '2001:db8::3');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 800);
    assert.equal((await ask('c', '2001:db8:1::3')).status, 202);
  });
});
