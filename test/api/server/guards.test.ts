import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { publicRoute } from '@case-platform/lib/guards';
import { createHttpServer } from '@case-platform/lib/http-server';
import { problemSender } from '../../../apps/api/problem.ts';
import { eventually } from '../../support/eventually.ts';
import { quietLog, startApi } from '../../support/platform.ts';

const api = await startApi();
const routes = (await readFile(new URL('../../../apps/api/routes.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method = '', url = '', ...guard] = line.replace(/ \| .*/, '').split(/\s+/);
    return { method, url, guard: guard.join(' ') };
  });

test('[GUARD-1] a server with an unguarded route does not start', async () => {
  const app = await createHttpServer({ log: quietLog, sendError: problemSender('http://api.test') });
  assert.throws(() => app.get('/open', () => 'anyone'), /GET \/open declares no guard/);
  app.get('/closed', { config: { guard: publicRoute('a test') } }, () => 'fine');
});

test('[GUARD-1, SCALE-6] a server does not start if a route writes while its guard still looks up the caller', async () => {
  const app = await createHttpServer({ log: quietLog, sendError: problemSender('http://api.test') });
  const config = { guard: { ...publicRoute('a test'), confirm: async () => {} } };
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    assert.throws(() => app.route({ method, url: '/', config, handler: () => 'written' }), /does not only read/);
  app.get('/', { config }, () => 'read');
});

for (const { method, url, guard } of routes.filter((route) => !route.guard.startsWith('publicRoute'))) {
  test(`[TOKEN-2] ${method} ${url} (${guard}) without a token is a 401`, async () => {
    const answer = await api.anonymous.call(method, url.replaceAll(/:\w+/g, '1'));
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    assert.equal(answer.body.code, 'not_authenticated');
  });
}

test('[HEALTH-1] readiness is 503 while the database is away, liveness is not', async () => {
  await eventually('it is ready', async () => (await api.anonymous.get('/health/ready')).status === 200);
  const app = await createHttpServer({
    log: quietLog,
    sendError: problemSender('http://api.test'),
    ready: () => Promise.reject(new Error('away')),
  });
  assert.equal((await app.inject('/health/ready')).statusCode, 503);
  assert.equal((await app.inject('/health/live')).statusCode, 200);
});
