import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERY_STATUS, startSink } from '../../../test/support/sink.ts';
import { callApi } from '../api/call-api.ts';
import { fetchAnswer } from './api-answer.ts';

const sink = await startSink();
Object.assign(process.env, {
  API_URL: sink.origin,
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
type Answer = Parameters<typeof sink.answers.set>[1];

const NOW = Date.parse('2026-11-20T10:00:00Z');
const ask = async (answer: Answer, { expires = NOW + 1, method = 'GET', withinMs = 15_000 } = {}) => {
  sink.answers.set('/api/home', answer);
  const read = await fetchAnswer('/api/home', { method }, { expires, now: NOW, withinMs });
  return read === 'ended' ? read : read.ok ? `data ${JSON.stringify(read.data)}` : `${read.status} ${read.message}`;
};
const OUTAGE = '0 Our servers aren’t responding right now.';

test('[WEB-8] of all statuses, only a 401 leads to the sign-in page; every other error is returned with its message', async () => {
  for (const status of EVERY_STATUS) {
    if (status === 204) continue;
    const read = await ask({ status, body: { message: 'Words.' } });
    const failed = status === 401 ? 'ended' : `${status} Words.`;
    assert.equal(read, status < 300 ? 'data {"message":"Words."}' : failed, String(status));
    const page = await ask({ status, body: '<html>' });
    if (status === 401) assert.equal(page, 'ended');
    else if (status < 300) assert.equal(page, OUTAGE, String(status));
    else assert.match(page, new RegExp(`^${status} [A-Z]`), String(status));
  }
});

test('[WEB-8] a success without JSON, and one without an end, is an outage and not missing data', async () => {
  for (const body of ['', '<html>', '{"data": [']) assert.equal(await ask({ status: 200, body }), OUTAGE, body);
  // Whether the time ends before or after the header, the answer is not usable.
  assert.match(await ask({ status: 200, body: 'dripping' }, { withinMs: 500 }), /^0 ./);
  assert.equal(await ask(204), OUTAGE);
});

test('[WEB-8] a read whose connection drops is repeated once, and a change is not', async () => {
  for (const [method, calls] of [
    ['GET', 2],
    ['POST', 1],
  ] as const) {
    sink.received.length = 0;
    assert.match(await ask('drop', { method }), /^0 ./);
    assert.equal(sink.received.length, calls, method);
  }
});

test('[WEB-8] a call is repeated once after a lost connection, and never after a timeout or an abort', async (t) => {
  const lost = new TypeError('fetch failed');
  for (const [error, repeats, calls] of [
    [lost, true, 2],
    [lost, false, 1],
    [new DOMException('too late', 'TimeoutError'), true, 1],
    [new DOMException('left', 'AbortError'), true, 1],
  ] as const) {
    const { mock } = t.mock.method(globalThis, 'fetch', () => Promise.reject(error));
    await assert.rejects(callApi('/api/home', {}, { withinMs: 1000, repeats }), error);
    assert.equal(mock.callCount(), calls, error.message);
    t.mock.restoreAll();
  }
});

test('[WEB-6] a token is used until exactly its end, and an expired one is an outage without a call', async () => {
  sink.received.length = 0;
  for (const offset of [-1000, -1, 0, 1, 1000]) {
    const read = await ask(200, { expires: NOW - offset });
    assert.equal(read, offset < 0 ? 'data {}' : '503 Our servers aren’t responding right now.', String(offset));
  }
  assert.equal(sink.received.length, 2);
});
