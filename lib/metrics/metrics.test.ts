import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startInternalServer } from './internal-server.ts';
import { createMetrics } from './metrics.ts';
import { watchProcess } from './watch-process.ts';

test('a value that cannot be read is not shown as zero, and delays nothing else', async () => {
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
    const lines = (await metrics.text()).split('\n');
    assert.ok(lines.includes('alone Nan') || lines.includes('alone NaN'), 'unknown');
    assert.ok(lines.includes('known_total{task="a"} 3'), 'a counter is not counted twice');
    assert.ok(!lines.some((line) => line.startsWith('of_many{') || line === 'of_many 0'));
  }
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

test('[METRIC-2] without a configured token no one reads the metrics, and the probes answer', async () => {
  const metrics = createMetrics();
  const server = { host: '127.0.0.1', port: 0, setting: 'API_INTERNAL_PORT', metrics, metricsToken: undefined };
  const { port, stop } = await startInternalServer({ ...server, ready: async () => {} });
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
});
