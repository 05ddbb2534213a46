import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startInternalServer } from './internal-server.ts';
import { createMetrics } from './metrics.ts';
import { watchProcess } from './watch-process.ts';

const LISTENER = { host: '127.0.0.1', port: 0, setting: 'API_INTERNAL_PORT' };

test('a value that cannot be read is not shown as zero, and delays nothing else', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const metrics = createMetrics();
  const lost = () => Promise.reject(new Error('away'));
  metrics.addGauge({ name: 'alone', help: 'A', read: lost });
  metrics.addGauge({ name: 'of_many', help: 'B', labels: ['task'], read: lost });
  metrics.addGauge({ name: 'never', help: 'C', read: () => new Promise(() => {}) });
  metrics.addCounter({
    name: 'known_total',
    help: 'D',
    labels: ['task'],
    read: () => [{ labels: { task: 'a' }, value: 3 }],
  });
  for (let look = 0; look < 2; look++) {
    const scrape = metrics.text();
    t.mock.timers.tick(3000);
    const lines = (await scrape).split('\n');
    assert.ok(lines.includes('alone Nan') || lines.includes('alone NaN'), 'unknown');
    assert.ok(lines.includes('known_total{task="a"} 3'), 'a counter is not counted twice');
    assert.ok(!lines.some((line) => line.startsWith('of_many{') || line === 'of_many 0'));
  }
});

test('[METRIC-3] answers are counted in seconds, by method, pattern, and status, and those without a route together', async () => {
  const metrics = createMetrics();
  for (const [ms, route] of [
    [5, '/cases/:id'],
    [6, '/cases/:id'],
    [20_001, '/cases/:id'],
    [1, undefined],
    [1, undefined],
  ] as const)
    metrics.observeRequest({ method: 'GET', route, status: 200, ms });
  metrics.observeRequest({ method: 'POST', route: '/cases/:id', status: 503, ms: 2500 });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds'));
  const bucket = (le: string, labels: string) =>
    lines.find((line) => line.startsWith(`http_request_duration_seconds_bucket{le="${le}",${labels}}`))?.split(' ')[1];
  const answered = 'method="GET",route="/cases/:id",status="200"';
  assert.deepEqual(
    ['0.005', '0.01', '20', '+Inf'].map((le) => bucket(le, answered)),
    ['1', '2', '2', '3'],
  );
  const failed = 'method="POST",route="/cases/:id",status="503"';
  assert.deepEqual([bucket('1', failed), bucket('2.5', failed)], ['0', '1']);
  assert.equal(bucket('+Inf', 'method="GET",route="none",status="200"'), '2');
});

test('[METRIC-1] a metric shows what is there now, and no label that has gone since the last time', async () => {
  const metrics = createMetrics();
  let tasks = ['a', 'b'];
  const read = () => tasks.map((task) => ({ labels: { task }, value: 1 }));
  metrics.addGauge({ name: 'now', help: 'A', labels: ['task'], read });
  metrics.addCounter({ name: 'all_total', help: 'B', labels: ['task'], read });
  const tasksOf = async () =>
    [...(await metrics.text()).matchAll(/^(now|all_total)\{task="(\w)"\} 1$/gm)].map(([, name, task]) => `${name} ${task}`);
  assert.deepEqual(await tasksOf(), ['now a', 'now b', 'all_total a', 'all_total b']);
  tasks = ['b'];
  assert.deepEqual(await tasksOf(), ['now b', 'all_total b']);
});

test('[METRIC-1] a value that takes longer than three seconds is unknown, and one that was read leaves no timer', async (t) => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const quick = createMetrics();
  quick.addGauge({ name: 'quick', help: 'A', read: () => [{ value: 1 }] });
  const before = countTimers();
  await quick.text();
  assert.equal(countTimers(), before);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slow = createMetrics();
  const reading = Promise.withResolvers<{ value: number }[]>();
  slow.addGauge({ name: 'slow', help: 'A', read: () => reading.promise });
  const shown = async (ms: number, answer?: number) => {
    const text = slow.text();
    t.mock.timers.tick(ms);
    if (answer !== undefined) reading.resolve([{ value: answer }]);
    return /^slow (\w+)$/m.exec(await text)?.[1]?.toLowerCase();
  };
  assert.deepEqual([await shown(3000), await shown(2999, 5)], ['nan', '5']);
});

test('[METRIC-1, METRIC-2] the listener answers for itself only, shows metrics to who has the token, and names the setting of a port that is taken', async () => {
  const state = { isReady: true };
  const options = {
    host: '127.0.0.1',
    setting: 'API_INTERNAL_PORT',
    metrics: createMetrics(),
    metricsToken: 'a token',
    ready: async () => void (state.isReady || assert.fail('not now')),
  };
  const { port, stop } = await startInternalServer({ ...options, port: 0 });
  after(stop);
  const ask = (path: string, method = 'GET', authorization = 'Bearer a token') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { connection: 'close', authorization } });
  assert.equal((await ask('/health/ready')).status, 200);
  state.isReady = false;
  assert.equal((await ask('/health/ready')).status, 503);
  assert.equal((await ask('/health/live')).status, 200);
  const answers = await Promise.all(['Bearer', 'bearer', 'BEARER'].map((scheme) => ask('/metrics', 'GET', `${scheme} a token`)));
  for (const { status, headers } of answers) assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
  assert.equal((await ask('/metrics', 'HEAD')).status, 200);
  assert.equal((await ask('/metrics', 'POST')).status, 405);
  assert.equal((await ask('/metrics/../etc')).status, 404);
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer another', 'Basic a token', 'a token']) {
    const answer = await ask('/metrics', 'GET', authorization);
    assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer'], authorization);
  }
  await assert.rejects(startInternalServer({ ...options, port }), {
    message: `API_INTERNAL_PORT ${port} on 127.0.0.1 is taken.`,
  });
});

test('[PROCESS-1] the listener ends at once, also with a connection that a scraper keeps', async () => {
  const metrics = createMetrics();
  const { port, stop } = await startInternalServer({ ...LISTENER, metrics, metricsToken: undefined, ready: async () => {} });
  const agent = new Agent({ keepAlive: true });
  const isFree = once(agent, 'free');
  const [answer]: IncomingMessage[] = await once(get({ port, path: '/health/live', agent }), 'response');
  assert.equal(await text(answer ?? assert.fail('no answer')), '{"status":"ok"}');
  const [socket]: Socket[] = await isFree;
  // An idle connection does not keep this process alive by itself.
  const closed = once(socket?.ref() ?? assert.fail('the connection is kept'), 'close');
  stop();
  await closed;
});

test('[METRIC-2] without a configured token no one reads the metrics, and the probes answer', async () => {
  const metrics = createMetrics();
  const { port, stop } = await startInternalServer({ ...LISTENER, metrics, metricsToken: undefined, ready: async () => {} });
  after(stop);
  const ask = (path: string, authorization: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close', authorization } });
  for (const authorization of ['', 'Bearer ', 'Bearer undefined'])
    assert.equal((await ask('/metrics', authorization)).status, 403);
  assert.equal((await ask('/health/ready', '')).status, 200);
});

test('[METRIC-1] without an internal port nothing listens and nothing is measured', async () => {
  const internalPorts = { web: undefined, api: 0, admin: undefined, worker: undefined };
  const watching = { internalHost: '127.0.0.1', metricsToken: undefined, internalPorts };
  assert.equal(await watchProcess('web', watching), null);
  assert.notEqual(await watchProcess('api', watching), null);
  const { port, stop } = await startInternalServer({
    ...LISTENER,
    metrics: createMetrics(),
    metricsToken: '',
    ready: async () => {},
  });
  after(stop);
  const taken = await watchProcess('admin', { ...watching, internalPorts: { ...internalPorts, admin: port } });
  await assert.rejects(taken?.serve(async () => {}) ?? assert.fail('it listens'), {
    message: `ADMIN_INTERNAL_PORT ${port} on 127.0.0.1 is taken.`,
  });
});
