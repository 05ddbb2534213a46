import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import pino from 'pino';
import type { Log } from '../log.ts';
import { traceProcess } from './trace-process.ts';
import { createTracing, type OpenSpan } from './tracing.ts';

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

interface SentSpan {
  name: string;
  status: object;
  traceId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

/** Replaces `fetch` by a collector that answers with these statuses in turn, then with 200. */
function collect(t: TestContext, ...statuses: (number | 'away')[]) {
  const sent: { headers: Record<string, string>; service: string; spans: SentSpan[] }[] = [];
  t.mock.method(
    globalThis,
    'fetch',
    async (_address: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
      const [{ resource, scopeSpans }] = JSON.parse(body).resourceSpans;
      sent.push({ headers, service: resource.attributes[0].value.stringValue, spans: scopeSpans[0].spans });
      const status = statuses.shift() ?? 200;
      if (status === 'away') throw new TypeError('fetch failed');
      return new Response(null, { status });
    },
  );
  const warnings: unknown[] = [];
  const log = { warn: (_entry: unknown, message: string) => warnings.push(message) } as unknown as Log;
  return { sent, warnings, log, namesOf: () => sent.map(({ spans }) => spans.map(({ name }) => name)) };
}
const OPTIONS = { endpoint: 'http://collector.test', headers: {}, service: 'test' };
const finish = (span: OpenSpan, name: string) => span.end({ name, failed: false, attributes: {} });

test('[METRIC-4] each span is sent once, every two seconds, until tracing ends, and no timer keeps the process alive', async (t) => {
  const { sent, log, namesOf } = collect(t);
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const timers = countTimers();
  const idle = createTracing({ ...OPTIONS, log });
  assert.equal(countTimers(), timers);
  await idle.stop();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const tracing = createTracing({ ...OPTIONS, log });
  for (const name of ['first', 'second']) {
    finish(tracing.begin('server', undefined), name);
    t.mock.timers.tick(1999);
    assert.equal(namesOf().flat().includes(name), false, 'not yet');
    t.mock.timers.tick(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  finish(tracing.begin('server', undefined), 'the last');
  await tracing.stop();
  finish(tracing.begin('server', undefined), 'too late');
  t.mock.timers.tick(60_000);
  assert.deepEqual(namesOf(), [['first'], ['second'], ['the last']]);
  assert.equal(new Set(sent.flatMap(({ spans }) => spans.map(({ traceId }) => traceId))).size, 3, 'each in a trace of its own');
});

test('[METRIC-4] the type of the content is ours, whatever headers are set, and a process is traced under its name', async (t) => {
  const { sent, log } = collect(t);
  const tracing = await traceProcess(
    'api',
    { tracing: { endpoint: OPTIONS.endpoint, headers: { 'content-type': 'x', 'x-key': 'k' } } },
    log,
  );
  const before = Date.now();
  finish(tracing?.begin('server', undefined) ?? assert.fail('it is traced'), 'a call');
  await tracing?.stop();
  const [
    {
      headers,
      service,
      spans: [span],
    } = assert.fail('nothing was sent'),
  ] = sent;
  assert.deepEqual([headers, service], [{ 'content-type': 'application/json', 'x-key': 'k' }, 'case-platform-api']);
  const [start, end] = [span?.startTimeUnixNano, span?.endTimeUnixNano].map((nano) => Number(BigInt(nano ?? 0) / 1_000_000n));
  assert.deepEqual(span?.status, {}, 'it did not fail');
  for (const ms of [start, end]) assert.ok(Number(ms) >= before && Number(ms) <= Date.now() + 1, 'nanoseconds since 1970');
});

test('[METRIC-4] each outage of the collector is logged once, also when it answers with an error, and its spans are dropped', async (t) => {
  const { warnings, log, namesOf } = collect(t, 'away', 500, 200, 403, 'away', 200, 503);
  const tracing = createTracing({ ...OPTIONS, log });
  const lines = [];
  for (let turn = 0; turn < 7; turn += 1) {
    finish(tracing.begin('consumer', undefined), `${turn}`);
    await tracing.stop();
    lines.push(warnings.length);
  }
  assert.deepEqual(lines, [1, 1, 1, 2, 2, 2, 3]);
  assert.deepEqual(namesOf(), [['0'], ['1'], ['2'], ['3'], ['4'], ['5'], ['6']]);
});

test('[METRIC-4] of too many spans that wait, the newest are sent', async (t) => {
  const { log, namesOf } = collect(t);
  const tracing = createTracing({ ...OPTIONS, log });
  for (let at = 0; at < 2050; at += 1) finish(tracing.begin('server', undefined), `${at}`);
  await tracing.stop();
  assert.deepEqual([namesOf().flat().length, namesOf()[0]?.[0], namesOf()[0]?.at(-1)], [2048, '2', '2049']);
});

test('[METRIC-4] the last bit of the flags of a trace says whether it is recorded', async (t) => {
  const { sent, log } = collect(t);
  const tracing = createTracing({ ...OPTIONS, log });
  for (const flags of ['00', '01', '02', '03', 'fe', 'ff']) {
    const parent = `00-${TRACE}-${'b'.repeat(16)}-${flags}`;
    const span = tracing.begin('server', parent);
    finish(span, flags);
    assert.equal(span.traceparent.slice(-2), flags);
    assert.equal(span.traceparent === parent, ['00', '02', 'fe'].includes(flags), flags);
  }
  await tracing.stop();
  assert.deepEqual(
    sent[0]?.spans.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
    ['01', '03', 'ff'].map((flags) => [flags, TRACE, 'b'.repeat(16)]),
  );
});
