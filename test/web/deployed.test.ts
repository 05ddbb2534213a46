import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { isReadBy, isSetting } from '../../lib/config/settings-of-processes.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { readExposition, type Scraped } from '../operate/read-exposition.ts';
import { environmentOf, processesOf } from '../start/start-process.ts';
import { CAST, type CastName, passwordOf } from '../support/cast.ts';
import { withServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startRealStack } from '../support/stack/real-stack.ts';

const NAMES = ['web', 'api', 'admin', 'worker'] as const;
type Name = (typeof NAMES)[number];

const METRICS_TOKEN = 'a-token-of-this-test';
const ports = await freePorts(NAMES.length);
const internal = (name: Name, path: string) =>
  fetch(`http://127.0.0.1:${ports[NAMES.indexOf(name)]}${path}`, {
    headers: { connection: 'close', authorization: `Bearer ${METRICS_TOKEN}` },
  });

interface Span {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

/** The spans that the collector received. */
const spans: Span[] = [];
const collector = createServer(async (request, response) => {
  const { resourceSpans } = JSON.parse((await request.toArray()).join(''));
  for (const { resource, scopeSpans } of resourceSpans) {
    const service = resource.attributes[0].value.stringValue;
    for (const span of scopeSpans[0].spans) spans.push({ service, ...span });
  }
  response.end('{}');
});
await once(collector.listen(0, '127.0.0.1'), 'listening');
after(() => collector.close());

/** A platform as it is deployed: behind a proxy that ends TLS, with limits, metrics, and traces. */
const stack = await startRealStack({
  WEB_URL: 'https://demo.test',
  LIMIT_CALLS: '30',
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  ACCESS_LOG: 'true',
  METRICS_TOKEN,
  TRUST_PROXY: 'loopback',
  ...Object.fromEntries(NAMES.map((name, at) => [`${name.toUpperCase()}_INTERNAL_PORT`, `${ports[at]}`])),
});

test('[SETTING-4] each process has only its own settings and its own database role in its environment', async () => {
  for (const name of [...NAMES, 'storage'] as const) {
    const [pid] = await processesOf(stack.dataDir, join('apps', name, 'main.ts'));
    const settings = environmentOf(pid ?? 0).filter(([variable]) => isSetting(variable));
    assert.ok(settings.length > 0, name);
    const others = settings.filter(([variable]) => !isReadBy(name, variable.replace(/_FILE$/, '')));
    assert.deepEqual(others, [], name);
    const roles = settings.flatMap(([, value]) => /^postgres:\/\/([^:]+):/.exec(value)?.[1] ?? []);
    assert.deepEqual(roles, name === 'web' || name === 'storage' ? [] : [`case_platform_${name}`], name);
  }
});

/** An id that does not exist, and is too long to appear by chance among ids and times. */
const NUMBER = 4711004711;

async function scrape(name: Name): Promise<Scraped[]> {
  const answer = await internal(name, '/metrics');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return readExposition(await answer.text());
}

const valuesOf = (samples: Scraped[], name: string) => samples.filter((sample) => sample.name === name);
const soleValue = (samples: Scraped[], name: string) => valuesOf(samples, name)[0]?.value;
const routesOf = (samples: Scraped[]) =>
  new Set(
    valuesOf(samples, 'http_request_duration_seconds_count').map(
      ({ labels }) => `${labels.method} ${labels.route} ${labels.status}`,
    ),
  );

describe('[METRIC-1] each process is observed on a listener of its own', () => {
  test('[METRIC-1, METRIC-3] every process shows metrics of itself, the database, and the queue, with the names of the contract', async () => {
    for (const name of NAMES) {
      const samples = await scrape(name);
      for (const metric of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
        assert.ok((soleValue(samples, metric) ?? -1) >= 0, `${name} ${metric}`);
      if (name === 'web') continue;
      for (const up of ['database_up', 'bucket_up']) assert.equal(soleValue(samples, up), 1, `${name} ${up}`);
      for (const none of ['database_read_only', 'database_pool_waiting']) assert.equal(soleValue(samples, none), 0);
      assert.equal(soleValue(samples, 'jobs_dead'), 0);
      for (const metric of ['jobs_waiting', 'job_oldest_seconds'])
        assert.ok(
          valuesOf(samples, metric).some(({ labels }) => labels.task === 'deliver_email'),
          `${name} ${metric}`,
        );
    }
    for (const name of ['api', 'admin'] as const) {
      assert.equal(soleValue(await scrape(name), 'live_connections'), 0);
      for (const lag of ['event_publisher_lag_seconds', 'live_lag_seconds']) {
        await eventually(`${name} ${lag} is short`, async () => {
          const value = soleValue(await scrape(name), lag) ?? -1;
          return value >= 0 && value < 1;
        });
      }
    }
    const deliveries = valuesOf(await scrape('worker'), 'deliveries_total');
    assert.equal(deliveries.length, 12);
    for (const { labels } of deliveries) assert.deepEqual(Object.keys(labels).sort(), ['channel', 'state']);
  });

  test('[METRIC-3] answers are counted by the pattern of their route, and unknown paths as one', async () => {
    const secret = 'somebody@example.test';
    for (const url of [stack.webUrl, stack.apiUrl, stack.adminUrl]) {
      for (const path of [`/${secret}`, `/nowhere/1?email=${secret}`])
        await (await fetch(url + path, { redirect: 'manual' })).text();
    }
    await (await fetch(`${stack.webUrl}/login?email=${secret}`)).text();
    await (await fetch(`${stack.webUrl}/cases/${NUMBER}`, { redirect: 'manual' })).text();
    await (await fetch(`${stack.webUrl}/api/messages/${NUMBER}`)).text();
    await (await fetch(`${stack.adminUrl}/cases/${NUMBER}`, { redirect: 'manual' })).text();
    const [web, api, admin] = await Promise.all([scrape('web'), scrape('api'), scrape('admin')]);
    for (const [samples, route] of [
      [web, 'GET none 307'],
      [web, 'GET /login 200'],
      [web, 'GET /cases/[id] 307'],
      [web, 'GET /api/messages/{chain_id} 401'],
      [api, 'GET none 404'],
      [api, 'GET /api/messages/:chain_id 401'],
      [admin, 'GET none 404'],
      [admin, 'GET /cases/:case_id 302'],
    ] as const)
      assert.ok(routesOf(samples).has(route), `${route} is not in ${[...routesOf(samples)].join(', ')}`);
    for (const { labels } of [...web, ...api, ...admin])
      assert.doesNotMatch(Object.values(labels).join(' '), /4711004711|example|nowhere|\?/);
  });

  test('[METRIC-3, METRIC-4] the logs of web and API name a request by its id, and contain nothing personal', async () => {
    const email = 'nobody-known@example.test';
    const id = 'seen-from-outside-1';
    const headers = { 'x-request-id': id, 'content-type': 'application/json' };
    const answer = await fetch(`${stack.webUrl}/api/user/auth/password-reset/request?again=${email}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email_address: email, user_type: 'intended_parent' }),
    });
    assert.deepEqual([answer.status, answer.headers.get('x-request-id')], [202, id]);
    for (const name of ['web', 'api']) {
      const line = await eventually(`a line of ${name}`, async () => {
        const log = await readFile(join(stack.dataDir, 'logs', `${name}.log`), 'utf8');
        assert.doesNotMatch(log, /nobody-known/);
        return log.split('\n').find((line) => line.includes(id) && line.includes('answered'));
      });
      const { route, method, status, request_id, ms } = JSON.parse(line);
      const pattern = '/api/user/auth/password-reset/request';
      assert.deepEqual([route, method, status, request_id], [pattern, 'POST', answer.status, id]);
      assert.ok(Number.isInteger(ms));
    }
  });

  test('[METRIC-4] one trace goes from the web frontend through the API to the job', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const id = 'traced-from-outside-1';
    await (await fetch(`${stack.webUrl}/api/messages/${NUMBER}`)).text();
    const headers = {
      'x-request-id': id,
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      'content-type': 'application/json',
    };
    await fetch(`${stack.webUrl}/api/user/auth/password-reset/request`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email_address: 'parent@demo.test', user_type: 'intended_parent' }),
    });
    const find = (service: string) =>
      eventually(`a span of ${service}`, () =>
        spans.find((span) => span.traceId === traceId && span.service === `case-platform-${service}`),
      );
    const [web, api, worker] = await Promise.all([find('web'), find('api'), find('worker')]);
    assert.equal(web.parentSpanId, 'b7ad6b7169203331');
    assert.equal(api.parentSpanId, web.spanId);
    assert.equal(worker.parentSpanId, api.spanId);
    const name = 'POST /api/user/auth/password-reset/request';
    assert.deepEqual([web.name, api.name, worker.name], [name, name, 'mail_password_reset']);
    await eventually('its delivery', async () => {
      const { rows } = await stack.pool.query('select from delivery where request_id = $1', [id]);
      return rows.length === 1;
    });
    assert.doesNotMatch(JSON.stringify(spans), /demo\.test|4711004711/);
  });

  test('[METRIC-1] the internal listener serves nothing else, and the public addresses serve no metrics', async () => {
    assert.equal((await internal('api', '/api/messages')).status, 404);
    assert.equal((await internal('web', '/login')).status, 404);
    for (const url of [stack.webUrl, stack.apiUrl, stack.adminUrl]) {
      const answer = await fetch(`${url}/metrics`, { redirect: 'manual' });
      assert.doesNotMatch(await answer.text(), /process_cpu/);
    }
  });

  test('[HEALTH-1] every process is ready, is not ready while the database is away, and says so in its metrics', async () => {
    for (const name of NAMES) {
      await eventually(`${name} is ready`, async () => (await internal(name, '/health/ready')).status === 200);
    }
    const database = new URL(stack.databaseUrl).pathname.slice(1);
    const allow = (allowed: boolean) =>
      withServer(async (server) => {
        await server.query(`alter database "${database}" with allow_connections ${allowed}`);
        if (!allowed) await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
      });
    await allow(false);
    try {
      for (const name of NAMES) {
        await eventually(`${name} is not ready`, async () => (await internal(name, '/health/ready')).status === 503);
        assert.equal((await internal(name, '/health/live')).status, 200);
      }
      for (const name of ['api', 'admin', 'worker'] as const) {
        const samples = await scrape(name);
        assert.deepEqual([soleValue(samples, 'database_up'), soleValue(samples, 'database_read_only')], [0, 0]);
        assert.deepEqual(valuesOf(samples, 'jobs_waiting'), []);
        assert.ok(Number.isNaN(soleValue(samples, 'jobs_dead')), 'an unknown number is not zero');
      }
      await eventually('the lag grows', async () => (soleValue(await scrape('api'), 'event_publisher_lag_seconds') ?? 0) > 1.5);
    } finally {
      await allow(true);
    }
    for (const name of NAMES) {
      await eventually(`${name} is ready again`, async () => (await internal(name, '/health/ready')).status === 200);
      if (name === 'web') continue;
      // An earlier reading is reused for a second.
      await eventually(`${name} has it again`, async () => soleValue(await scrape(name), 'database_up') === 1);
    }
  });
});

/** A browser without pages that keeps the cookies it gets. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly setCookies: string[] = [];

  async ask(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const body = form === undefined ? null : new URLSearchParams(form);
    const method = form === undefined ? 'GET' : 'POST';
    const response = await fetch(stack.webUrl + path, { method, headers, body, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      this.setCookies.push(cookie);
      const [pair = ''] = cookie.split('; ');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }

  async signIn(name: CastName): Promise<void> {
    const { csrfToken } = (await (await this.ask('/api/auth/csrf')).json()) as { csrfToken: string };
    const { email_address, user_type } = CAST[name];
    const given = { email_address, user_type, pass_hash: passwordOf(name), csrfToken, json: 'true' };
    await this.ask('/api/auth/callback/credentials', given);
  }
}

test('[WEB-1] over https every cookie has a name that only this host can set: signing in, code step, signing out', async () => {
  const parent = new Browser();
  await parent.signIn('parent');
  assert.equal((await parent.ask('/')).status, 200, 'signed in');
  await parent.ask('/api/auth/session');
  const { csrfToken } = (await (await parent.ask('/api/auth/csrf')).json()) as { csrfToken: string };
  await parent.ask('/api/auth/signout', { csrfToken, json: 'true' });
  const withCode = new Browser();
  await withCode.signIn('totp');
  await withCode.ask('/login');
  const setCookies = [...parent.setCookies, ...withCode.setCookies];
  const names = new Set(setCookies.map((cookie) => cookie.split('=', 1)[0]));
  for (const own of ['next-auth.session-token', 'next-auth.csrf-token', 'next-auth.callback-url', 'case-two-factor']) {
    assert.ok(names.has(`__Host-${own}`), `${own} among ${[...names].join(', ')}`);
  }
  for (const cookie of setCookies) {
    assert.match(cookie, /^__Host-/);
    assert.match(cookie, /; Secure/i);
    assert.match(cookie, /; Path=\/(;|$)/i);
    assert.doesNotMatch(cookie, /domain=/i);
  }
});

test('[EDGE-4] every answer over https keeps browsers to https, including the API’s', async () => {
  for (const path of ['/login', '/api/cases', '/api/auth/csrf', '/icon-192.png', '/nothing-here']) {
    const { headers } = await new Browser().ask(path);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=31536000/, path);
  }
});

test('[RATE-3] a person who opens too many pages in a minute sees when to continue, and stays signed in', async () => {
  const owner = new Browser();
  await owner.signIn('owner');
  const tooFast = /You’re going faster than we can keep up\. Try again in \d+ seconds?\./;
  let [page, loads] = ['', 0];
  for (; loads < 40 && !tooFast.test(page); loads++) {
    const answer = await owner.ask('/cases');
    assert.equal(answer.status, 200);
    page = await answer.text();
  }
  assert.ok(loads > 1, 'the first page is shown');
  assert.match(page, tooFast, `not after ${loads} pages`);
  assert.match(page, /<nav[^>]* aria-label="Main"/, 'within its frame');
});
