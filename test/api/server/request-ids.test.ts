import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from '../../admin/start-admin.ts';
import { startApi } from '../../support/platform.ts';

/** This API trusts its callers like our own web server. */
const api = await startApi({ trustProxy: 'loopback' });

test('[METRIC-4] a request keeps the id that the web server gave it, through its job, to the delivery that staff see', async () => {
  const parent = await api.as('parent');
  const id = 'front-door-4711';
  const answer = await parent.form('/api/messages', { message: 'Where is my money?' }, [], { 'x-request-id': id });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('x-request-id'), id);
  const { rows: jobs } = await api.pool.query(`select payload->'_request' as request from graphile_worker._private_jobs`);
  assert.ok(jobs.length > 0 && jobs.every(({ request }) => request.request_id === id), JSON.stringify(jobs));
  await api.work();
  const { rows } = await api.pool.query('select id, channel, request_id from delivery order by id');
  assert.ok(rows.length > 0 && rows.every(({ request_id }) => request_id === id), JSON.stringify(rows));

  const root = await (await startAdmin({ database: api })).as('root');
  const { text } = await root.get(`/deliveries/${rows[0]?.id}`);
  assert.match(text, /Technical details[\s\S]*Request[\s\S]*front-door-4711/);
});

test('[EDGE-5] an untrusted client’s request id is not used in the answer, a job, or the audit log', async () => {
  const open = await startApi({ database: api });
  const id = '7f3d2c1b-0a9e-4d8c-b7a6-5f4e3d2c1b0a';
  const headers = { 'x-request-id': id, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const parent = await open.as('parent');
  const answer = await parent.call('PATCH', '/api/user/me', {
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: 'Another' }),
  });
  assert.equal(answer.status, 200);
  const given = answer.headers.get('x-request-id');
  assert.match(given ?? '', /^[0-9a-f-]{36}$/);
  assert.notEqual(given, id);
  await parent.form('/api/messages', { message: 'Where is my money?' }, [], headers);
  const { rows: entries } = await api.pool.query('select request_id from audit_entry');
  assert.ok(entries.some(({ request_id }) => request_id === given));
  const { rows: jobs } = await api.pool.query(`select payload::text as text from graphile_worker._private_jobs`);
  for (const text of [...entries.map(({ request_id }) => String(request_id)), ...jobs.map((job) => job.text)])
    assert.ok(!text.includes(id) && !text.includes('a'.repeat(32)), text);
});

test('[EDGE-5] an id that is not valid is replaced', async () => {
  for (const id of ['short', 'x'.repeat(65), 'with space inside', 'a@b.example.test', 'line;drop-table']) {
    const { headers } = await api.anonymous.call('GET', '/health/live', { headers: { 'x-request-id': id } });
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, id);
  }
});
