import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import pino from 'pino';
import { traceProcess } from './trace-process.ts';
import { createTracing } from './tracing.ts';

const TRACE = 'a'.repeat(32);

test('[METRIC-4] spans reach the collector in the trace of their parent, with the headers that were set', async () => {
  const received: { url: string | undefined; key: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    received.push({ url: request.url, key: request.headers['x-key']?.toString(), body });
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp/`;
  const tracing = createTracing({
    endpoint,
    headers: { 'x-key': 'k' },
    service: 'test',
    log: pino({ level: 'silent' }),
  });
  const span = tracing.begin('server', `00-${TRACE}-${'b'.repeat(16)}-01`);
  assert.match(span.traceparent, new RegExp(`^00-${TRACE}-(?!b{16})[0-9a-f]{16}-01$`));
  span.end({ name: 'GET /x', failed: true, attributes: { status: 500, nothing: undefined } });
  const silent = `00-${TRACE}-${'c'.repeat(16)}-00`;
  const unrecorded = tracing.begin('server', silent);
  assert.equal(unrecorded.traceparent, silent, 'a trace that is not recorded is passed on unchanged');
  unrecorded.end({ name: 'never', failed: false, attributes: {} });
  await tracing.stop();
  const [sent] = received;
  assert.deepEqual([received.length, sent?.url, sent?.key], [1, '/otlp/v1/traces', 'k']);
  const { resourceSpans } = JSON.parse(sent?.body ?? '');
  const [exported] = resourceSpans[0].scopeSpans[0].spans;
  assert.equal(resourceSpans[0].scopeSpans[0].spans.length, 1);
  assert.deepEqual([exported.traceId, exported.parentSpanId, exported.name, exported.kind], [TRACE, 'b'.repeat(16), 'GET /x', 2]);
  assert.deepEqual(exported.attributes, [{ key: 'status', value: { intValue: '500' } }]);
  assert.deepEqual(exported.status, { code: 2 });
  assert.ok(BigInt(exported.endTimeUnixNano) >= BigInt(exported.startTimeUnixNano));
});

test('an unavailable collector costs one line in the log, and no call', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const tracing = createTracing({ endpoint: 'http://127.0.0.1:1', headers: {}, service: 'test', log });
  for (let time = 0; time < 3; time++) {
    tracing.begin('consumer', undefined).end({ name: 'job', failed: false, attributes: {} });
    await tracing.stop();
  }
  assert.equal(lines.length, 1);
  assert.equal(await traceProcess('api', { tracing: undefined }, log), undefined);
});
