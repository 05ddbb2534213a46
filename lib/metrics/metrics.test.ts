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

test('[METRIC-1] the listener answers for itself only, and names the setting of a port that is taken', async () => {
  const state = { isReady: true };
  const options = {
    host: '127.0.0.1',
    setting: 'API_INTERNAL_PORT',
    metrics: createMetrics(),
    ready: async () => void (state.isReady || assert.fail('not now')),
  };
  const { port, stop } = await startInternalServer({ ...options, port: 0 });
  after(stop);
  const ask = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { connection: 'close' } });
  assert.equal((await ask('/health/ready')).status, 200);
  state.isReady = false;
  assert.equal((await ask('/health/ready')).status, 503);
  assert.equal((await ask('/health/live')).status, 200);
  assert.equal((await ask('/metrics', 'HEAD')).status, 200);
  assert.equal((await ask('/metrics', 'POST')).status, 405);
  assert.equal((await ask('/metrics/../etc')).status, 404);
  await assert.rejects(startInternalServer({ ...options, port }), {
    message: `API_INTERNAL_PORT ${port} on 127.0.0.1 is taken.`,
  });
});

test('[METRIC-1] without an internal port nothing listens and nothing is measured', async () => {
  const internalPorts = { web: undefined, api: 0, admin: undefined, worker: undefined };
  assert.equal(await watchProcess('web', { internalHost: '127.0.0.1', internalPorts }), null);
  assert.notEqual(await watchProcess('api', { internalHost: '127.0.0.1', internalPorts }), null);
});
