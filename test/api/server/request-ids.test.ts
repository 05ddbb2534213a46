import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from '../../admin/start-admin.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();

test('[decisions 15] a request keeps the id that it comes with, through its job, to the delivery that staff look at', async () => {
  const parent = await api.as('parent');
  const id = 'front-door-4711';
  const sent = await parent.form('/api/messages', { message: 'Where is my money?' }, [], { 'x-request-id': id });
  assert.equal(sent.status, 201);
  assert.equal(sent.headers.get('x-request-id'), id);
  const { rows: jobs } = await api.pool.query(
    `select payload->'_request' as request from graphile_worker._private_jobs`,
  );
  assert.ok(jobs.length > 0 && jobs.every(({ request }) => request.request_id === id), JSON.stringify(jobs));
  await api.work();
  const { rows } = await api.pool.query('select id, channel, request_id from delivery order by id');
  assert.ok(rows.length > 0 && rows.every(({ request_id }) => request_id === id), JSON.stringify(rows));

  const root = await (await startAdmin({ database: api })).as('root');
  const { text } = await root.get(`/deliveries/${rows[0]?.id}`);
  assert.match(text, /Technical details[\s\S]*Request[\s\S]*front-door-4711/);
});

test('[decisions 15] an id that cannot be one is replaced', async () => {
  for (const id of ['short', 'x'.repeat(65), 'with space inside', 'a@b.example.test', 'line;drop-table']) {
    const { headers } = await api.anonymous.call('GET', '/health/live', { headers: { 'x-request-id': id } });
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, id);
  }
});
