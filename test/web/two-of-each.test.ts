import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { test } from 'node:test';
import { NEEDS_NOTIFY_LOCK } from '@case-platform/lib/outbox/publish-outbox';
import pg from 'pg';
import { followEvents } from '../../apps/web/live/follow-events.ts';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { Visitor } from '../admin/start-admin.ts';
import { askedByAlerts, askedByDashboard, metricsIn } from '../operate/watching.ts';
import { CASE_1, CAST, type CastName, passwordOf } from '../support/cast.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { Client } from '../support/platform.ts';
import { testEnds } from './end-two-of-each.ts';
import { type Kind, startTwoOfEach } from './two-of-each.ts';

const two = await startTwoOfEach();
const MiB = 1024 ** 2;

/** Returns the index of the process that answered a request, from nginx's log. A stream is logged only when it has ended. */
function answeredBy(kind: Kind, requestId: string | null): Promise<number> {
  const ports = two.instances[kind].map(({ port }) => `127.0.0.1:${port}`);
  return eventually(`who answered ${requestId}`, () => {
    const lines = readFileSync(two.nginx.log, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes(requestId ?? 'none'));
    // The line of a retried call names every process that was tried, and the last one answered.
    const upstreams: string[] = lines.map((line) => JSON.parse(line).upstream);
    return upstreams.map((addresses) => ports.indexOf(addresses.split(', ').at(-1) ?? '')).find((index) => index >= 0);
  });
}

/** Repeats a call until both processes of a kind have answered it. Nginx distributes calls in turn. */
async function atBoth<Answer extends { headers: Headers }>(kind: Kind, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let tries = 0; answers.filter(Boolean).length < 2; tries++) {
    assert.ok(tries < 20, `only one ${kind} answers`);
    const answer = await ask();
    answers[await answeredBy(kind, answer.headers.get('x-request-id'))] ??= answer;
  }
  return answers;
}

function cookieOf({ cookies }: Visitor): { cookie: string } {
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}

/** A person's browser at the web frontend, without pages. */
class Browser {
  readonly jar = new Visitor(two.webUrl);

  async signIn(name: CastName): Promise<void> {
    const { email_address, user_type } = CAST[name];
    const given = {
      email_address,
      user_type,
      pass_hash: passwordOf(name),
      csrfToken: await this.#token(),
      json: 'true',
    };
    const { status } = await this.jar.submit('/api/auth/callback/credentials', given);
    assert.equal(status, 200);
  }

  async signOut(): Promise<void> {
    await this.jar.submit('/api/auth/signout', { csrfToken: await this.#token(), json: 'true' });
  }

  me() {
    return this.jar.get('/api/user/me');
  }

  get cookie(): string {
    return cookieOf(this.jar).cookie;
  }

  async #token(): Promise<string> {
    return JSON.parse((await this.jar.get('/api/auth/csrf')).text).csrfToken;
  }
}

async function asClient(name: CastName): Promise<Client> {
  const { email_address, user_type } = CAST[name];
  const login = { email_address, user_type, pass_hash: passwordOf(name) };
  const { status, body } = await new Client(two.apiUrl, null, 0).post('/api/user/auth/login', login);
  assert.equal(status, 200, JSON.stringify(body));
  return new Client(two.apiUrl, body.access_token, body.user?.id ?? 0);
}

const parent = new Browser();
await parent.signIn('parent');
const client = await asClient('parent');

test('[HEALTH-2] a version whose migrations have not run is not ready, names them, and answers calls with 503', () => {
  const { missing, answers } = two.beforeMigration;
  assert.match(missing, /^\d{4}_\w+\.sql$/);
  for (const [kind, { ready, call, output }] of Object.entries(answers)) {
    assert.equal(ready.status, 503, kind);
    assert.ok(ready.body.includes(missing), `${kind}: ${ready.body}`);
    assert.ok(!ready.body.includes('9999_'), kind);
    assert.ok(output.includes(missing), `${kind} logs it: ${output}`);
    if (call !== null) assert.deepEqual(call, { status: 503, retryAfter: '5' }, kind);
  }
  // All processes then became ready although the database also has a migration of a later version.
});

test('[PROCESS-5] behind nginx: someone who signed in at one web or staff process is signed in at the other', async () => {
  for (const { status } of await atBoth('web', () => parent.me())) assert.equal(status, 200);
  for (const { status, text } of await atBoth('web', () => parent.jar.get('/')))
    assert.deepEqual([status, /<h1/.test(text)], [200, true]);
  for (const { status } of await atBoth('api', () => client.get('/api/messages'))) assert.equal(status, 200);
  const staff = new Visitor(two.adminUrl);
  await staff.signIn(CAST.escrow.email_address, passwordOf('escrow'));
  for (const { status } of await atBoth('admin', () => staff.get('/messages'))) assert.equal(status, 200);
});

test('[EDGE-4] behind nginx: plain http leads to https, and answers ask browsers to stay there', async () => {
  const plain = await fetch(`${two.plainUrl}/login?next=1`, { redirect: 'manual' });
  assert.deepEqual([plain.status, plain.headers.get('location')], [308, 'https://localhost/login?next=1']);
  for (const url of [two.webUrl, two.apiUrl, two.adminUrl]) {
    const { headers } = await fetch(`${url}/login`, { redirect: 'manual' });
    assert.match(headers.get('strict-transport-security') ?? '', /max-age/, url);
    assert.equal(headers.get('server'), 'nginx', 'no version');
  }
});

test('[PROCESS-5, LIVE-1] behind nginx: a message reaches streams at both web and both API processes at once', async () => {
  const streams: EventReader[] = [];
  const live = async (kind: 'api' | 'admin') =>
    Promise.all(
      two.instances[kind].map(
        async (instance) => (await two.readMetrics(instance)).find(({ name }) => name === 'live_connections')?.value ?? 0,
      ),
    );
  const listen = async (url: string, headers: Record<string, string>) => {
    const stream = await EventReader.open(`${url}/api/messages/events`, headers);
    assert.equal(stream.status, 200);
    streams.push(stream);
  };
  try {
    for (let tries = 0; (await live('api')).includes(0) || streams.length < 4; tries++) {
      assert.ok(tries < 10, 'only one API process has streams');
      await listen(two.webUrl, { cookie: parent.cookie });
      await listen(two.apiUrl, { authorization: `Bearer ${client.token}` });
    }
    for (const stream of streams) await stream.next(({ event }) => event === 'unread');
    const answer = await client.form('/api/messages', { message: 'To all of them', case_id: String(CASE_1) });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    for (const stream of streams)
      await stream.next(({ event, data }) => event === 'message' && data.message.message === 'To all of them');
  } finally {
    for (const stream of streams) stream.close();
  }
  const ofWeb = streams.filter((_, at) => at % 2 === 0).map(({ requestId }) => answeredBy('web', requestId));
  assert.equal(new Set(await Promise.all(ofWeb)).size, 2, 'both web processes had streams');
});

test('[SCALE-1, PROCESS-5] a message reaches streams of both API processes, with and without Redis', async (t) => {
  const surrogate = await asClient('surrogate');
  const streams = two.instances.api.map(({ port }) => followMessages(`http://127.0.0.1:${port}`, surrogate));
  const listener = new pg.Client({ connectionString: two.url });
  t.after(async () => {
    for (const { stop } of streams) stop();
    await listener.end();
  });
  let notified = 0;
  listener.on('notification', () => (notified += 1));
  await listener.connect();
  await listener.query('listen chain_event');
  /** Sends a message, which must arrive on both streams. @returns the number of notifications of PostgreSQL meanwhile */
  const countNotified = async (message: string) => {
    const before = notified;
    assert.equal((await surrogate.form('/api/messages', { message, case_id: String(CASE_1) })).status, 201);
    for (const { texts } of streams) await eventually(`"${message}" on a stream`, () => texts.includes(message));
    await listener.query('select');
    return notified - before;
  };
  const allUseRedis = () =>
    eventually('events from Redis', async () => (await two.pool.query(NEED_NOTIFICATIONS)).rowCount === 0);

  for (const { state } of streams) await eventually('a stream', () => state.isLive);
  await allUseRedis();
  assert.equal(await countNotified('Through Redis'), 0);
  await two.redis.kill();
  assert.notEqual(await countNotified('Without Redis'), 0);
  await two.redis.start();
  await allUseRedis();
  // The publisher has another connection to Redis, which may come back a little later.
  let last = 0;
  await eventually('a message that is not notified', async () => (await countNotified(`Again ${last++}`)) === 0);
});

/** The processes that get no events from Redis. */
const NEED_NOTIFICATIONS = `select from pg_locks
  where locktype = 'advisory' and classid::bigint << 32 | objid::bigint = ${NEEDS_NOTIFY_LOCK}
    and database = (select oid from pg_database where datname = current_database())`;

function followMessages(baseUrl: string, { token }: Client) {
  const texts: string[] = [];
  const state = { isLive: false };
  const { stop } = followEvents({
    since: undefined,
    open: (last, signal) => {
      const headers = { authorization: `Bearer ${token}`, ...(last === undefined ? {} : { 'last-event-id': last }) };
      return fetch(`${baseUrl}/api/messages/events`, { headers, signal });
    },
    onEvent: ({ event, data }) => {
      if (event === 'message') texts.push(JSON.parse(data).message.message);
      // It comes once a stream has caught up.
      if (event === 'unread') state.isLive = true;
    },
    onState: () => {},
  });
  return { texts, state, stop };
}

test('[PROCESS-5, FILE-1] behind nginx: 48 MiB of attachments arrive, both processes serve a file, and more than a message may carry is rejected', async () => {
  const content = Buffer.concat([samplePdf('A page'), Buffer.alloc(24 * MiB - 4096, 32)]);
  const files = ['one.pdf', 'two.pdf'].map((name) => ({ name, type: 'application/pdf', content }));
  const { status, body } = await client.form('/api/messages', { message: 'Large', case_id: String(CASE_1) }, files);
  assert.equal(status, 201, JSON.stringify(body));
  const chain = `/api/messages/${body.chain.id}`;
  for (const { body: seen } of await atBoth('api', () => client.get(chain)))
    assert.match(JSON.stringify(seen), /"filename":"two\.pdf"/);
  const received = await (await fetch(body.message.files[0].url)).arrayBuffer();
  assert.ok(Buffer.from(received).equals(content));
  assert.equal(await announce(53 * MiB), 413);
});

/** Announces a body of this length. @returns the status that comes before any of the body is sent. */
async function announce(length: number): Promise<number | undefined> {
  const headers = {
    'content-length': length,
    'content-type': 'multipart/form-data; boundary=b',
    expect: '100-continue',
  };
  const announced = request(`${two.webUrl}/api/messages`, { method: 'POST', headers, agent: false });
  announced.flushHeaders();
  const [answer] = (await once(announced, 'response')) as [IncomingMessage];
  announced.destroy();
  return answer.statusCode;
}

test('[PROCESS-5, UPLOAD-5] behind nginx: a file that was sent directly to the storage is confirmed by either process', async () => {
  const content = samplePdf('A photo ID');
  const begin = () => client.post('/api/user/me/photo-id/upload-url', { filename: 'id.pdf', content_type: 'application/pdf' });
  for (const { status, body } of await atBoth('api', begin)) {
    assert.equal(status, 200, JSON.stringify(body));
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(body.upload_fields)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(content)], { type: 'application/pdf' }), 'id.pdf');
    assert.equal((await fetch(body.upload_url, { method: 'POST', body: form })).status, 204);
    const confirmed = await client.post('/api/user/me/photo-id/confirm', { file_key: body.file_key });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  }
});

test('[PROCESS-5, IDEMPOTENCY-1] behind nginx: a message that is sent again to the other process exists once', async () => {
  const headers = { 'idempotency-key': 'two-of-each-0001' };
  const fields = { message: 'Once', case_id: String(CASE_1) };
  const answers = await atBoth('api', () => client.form('/api/messages', fields, [], headers));
  const ids = new Set(answers.map(({ status, body }) => `${status} ${body.message.id}`));
  assert.equal(ids.size, 1, [...ids].join(', '));
  const together = await Promise.all(
    Array.from({ length: 8 }, () => client.form('/api/messages', fields, [], { 'idempotency-key': 'two-of-each-0002' })),
  );
  const made = new Set(together.filter(({ status }) => status === 201).map(({ body }) => body.message.id));
  assert.equal(made.size, 1);
  const by = await Promise.all(together.map(({ headers }) => answeredBy('api', headers.get('x-request-id'))));
  assert.equal(new Set(by).size, 2, 'both answered');
});

test('[PROCESS-5, SIGN-IN-4] behind nginx: failed sign-ins are counted together', async () => {
  const anonymous = new Client(two.apiUrl, null, 0);
  const login = {
    email_address: CAST.rep.email_address,
    user_type: CAST.rep.user_type,
    pass_hash: 'Not-The-Passw0rd!',
  };
  const fail = () => anonymous.post('/api/user/auth/login', login);
  const first = [];
  for (let tries = 0; tries < 10; tries++) first.push(await fail());
  assert.deepEqual([...new Set(first.map(({ status }) => status))], [401]);
  const by = await Promise.all(first.map(({ headers }) => answeredBy('api', headers.get('x-request-id'))));
  assert.equal(new Set(by).size, 2, 'both answered');
  for (const { status, headers } of await atBoth('api', fail)) {
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }
});

/** Metrics of Prometheus itself and of the exporters that deploy/watching/prometheus.yaml also scrapes. */
const OTHERS = /^(up|ALERTS|probe_(success|ssl_earliest_cert_expiry)|node_filesystem_(avail|size)_bytes)$/;

test('[METRIC-5] every metric that an alert or the dashboard reads is one that a process shows', async () => {
  const shown = new Set<string>();
  for (const instance of Object.values(two.instances).flat())
    for (const { name } of await two.readMetrics(instance)) shown.add(name);
  const metrics = [...askedByAlerts(), ...askedByDashboard()].flatMap(metricsIn);
  assert.ok(metrics.length > 30);
  assert.deepEqual(
    [...new Set(metrics)].filter((name) => !shown.has(name) && !OTHERS.test(name)),
    [],
  );
});

test('[OPERATE-5] behind nginx: no call fails while one process of each kind is restarted', async () => {
  const pages = { web: `${two.webUrl}/login`, api: `${two.apiUrl}/health/live`, admin: `${two.adminUrl}/login` };
  let isRestarted = false;
  let address = 0;
  const callUntilRestarted = async (url: string) => {
    const statuses: (number | undefined)[] = [];
    // Limits are counted by address, so each call comes from another one.
    while (!isRestarted) statuses.push(await getFrom(`127.0.1.${(address++ % 200) + 1}`, url));
    return statuses;
  };
  const calling = Promise.all(Object.values(pages).map(callUntilRestarted));
  await Promise.all((['web', 'api', 'admin'] as const).map((kind) => two.restart(kind))).finally(() => {
    isRestarted = true;
  });
  for (const statuses of await calling) {
    assert.ok(statuses.length > 2, 'it was called before, during, and after the restart');
    assert.deepEqual([...new Set(statuses)], [200]);
  }
});

async function getFrom(localAddress: string, url: string): Promise<number | undefined> {
  const sending = request(url, { localAddress, family: 4, agent: false }).end();
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

test('[OPERATE-5] behind nginx: a file that one web process does not have is requested from the other, before it is a 404', async () => {
  const [first, second] = two.instances.web.map(({ port }) => `127.0.0.1:${port}`);
  for (const path of ['/_next/static/chunks/of-another-version.js', '/of-another-version.png']) {
    const { status, headers } = await fetch(`${two.webUrl}${path}`, { redirect: 'manual' });
    assert.equal(status, 404, path);
    const id = headers.get('x-request-id') ?? 'none';
    const both = await eventually('the answer is in the log', () =>
      readFileSync(two.nginx.log, 'utf8')
        .split('\n')
        .find((line) => line.includes(id)),
    );
    assert.deepEqual(JSON.parse(both).upstream.split(', ').sort(), [first, second].sort());
  }
});

test('[OPERATE-5] behind nginx: nothing is written to the log of Debian’s nginx.conf, which would have full addresses', () => {
  assert.equal(readFileSync(two.nginx.defaultLog, 'utf8'), '');
  assert.doesNotMatch(readFileSync(two.nginx.log, 'utf8'), /token|login|127\.0\.1\./);
});

test('[OPERATE-6] with its contents the image stays below 350 MB', () => {
  // Debian's slim base image has 75 MB, and libatomic1 is negligible.
  assert.ok(two.bytes / 1e6 < 350 - 77, `${Math.ceil(two.bytes / 1e6)} MB`);
});

test('[PROCESS-5, WEB-11] behind nginx: someone who signs out at one process is signed out at the other, and their streams end', async () => {
  const cookie = parent.cookie;
  const stream = await EventReader.open(`${two.webUrl}/api/messages/events`, { cookie });
  await parent.signOut();
  await stream.ended();
  const asBefore = () => fetch(`${two.webUrl}/api/user/me`, { headers: { cookie } });
  for (const { status } of await atBoth('web', asBefore)) assert.equal(status, 401);
  const staff = new Visitor(two.adminUrl);
  await staff.signIn(CAST.finance.email_address, passwordOf('finance'));
  const cookies = new Map(staff.cookies);
  assert.equal((await staff.post('/logout')).status, 303);
  for (const [name, value] of cookies) staff.cookies.set(name, value);
  for (const { status } of await atBoth('admin', () => staff.get('/messages'))) assert.equal(status, 302);
});

testEnds(two, async () => {
  const staff = new Visitor(two.adminUrl);
  await staff.signIn(CAST.escrow.email_address, passwordOf('escrow'));
  await parent.signIn('parent');
  return { web: { cookie: parent.cookie }, api: { authorization: `Bearer ${client.token}` }, admin: cookieOf(staff) };
});
