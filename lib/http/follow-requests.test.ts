import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { publicRoute } from '../guards.ts';
import { createHttpServer, listen } from '../http-server.ts';
import { typingLocale } from '../reader-locale.ts';
import { currentRequest, requestIdIn, traceparentIn } from '../request-context.ts';

test('a failed request is logged with its visit, and no other value of the header is logged', async () => {
  const lines: { msg: string; visit_id?: string }[] = [];
  const app = await createHttpServer({
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    sendError: (_error, _request, reply) => reply.code(500).send(),
  });
  app.get('/', { config: { guard: publicRoute('a test') } }, () => {
    throw new Error('on purpose');
  });
  after(() => app.close());
  const url = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}/`;
  const visit = '3f2a6c1e-90ab-4cde-8f01-23456789abcd';
  for (const [id, logged] of [
    [visit, [visit, visit]],
    ['someone@example.test', [undefined, undefined]],
    [`${visit} and more`, [undefined, undefined]],
  ] as const) {
    lines.length = 0;
    await (await fetch(url, { headers: { 'x-visit-id': id, connection: 'close' } })).text();
    const deadline = Date.now() + 10_000;
    const entries = () => lines.filter(({ msg }) => msg === 'failed' || msg === 'answered');
    while (entries().length < 2) {
      assert.ok(Date.now() < deadline, JSON.stringify(lines));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(
      entries().map(({ visit_id }) => visit_id),
      logged,
    );
    assert.ok(id === visit || !JSON.stringify(lines).includes(id));
  }
});

test('[METRIC-3, METRIC-4] each answer is reported by its route, and everything that a request causes is in its context', async () => {
  const [parent, ownPlace] = ['a', 'b'].map((sign) => `00-${sign.repeat(32)}-${sign.repeat(16)}-01`) as [string, string];
  const lines: Record<string, unknown>[] = [];
  const spans: unknown[] = [];
  const observed: unknown[] = [];
  const app = await createHttpServer({
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    logsEachRequest: true,
    trustProxy: '127.0.0.1',
    sendError: (error, _request, reply) => reply.code(error?.status ?? 500).send(),
    observeRequest: ({ ms, ...answer }) => void observed.push({ ...answer, isTimed: ms >= 0 }),
    tracing: {
      begin: (kind, from) => {
        const span: Record<string, unknown> = { kind, from };
        spans.push(span);
        return { traceparent: ownPlace, end: (result) => Object.assign(span, result) };
      },
      stop: async () => {},
    },
  });
  const config = { guard: publicRoute('a test') };
  // Others read the words that a command stores, so these are in the default locale (LOCALE-1).
  const shownLocale = (globalThis as Record<symbol, unknown>)[Symbol.for('case-platform.reader-locale')] as () =>
    | string
    | undefined;
  const describe = () => ({ ...currentRequest(), locale: typingLocale(), shown: shownLocale() });
  app.get('/cases/:id', { config }, describe);
  app.post('/cases/:id', { config }, describe);
  app.get<{ Params: { status: string } }>('/status/:status', { config }, ({ params }, reply) =>
    reply.code(Number(params.status)).send(),
  );
  app.get('/health/broken', { config }, (_request, reply) => reply.code(503).send());
  after(() => app.close());
  const url = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
  const headers = { 'x-request-id': 'request-1', traceparent: parent, 'accept-language': 'de-DE', connection: 'close' };
  const body = { method: 'POST', body: '{}', headers: { ...headers, 'content-type': 'application/json' } };
  const here = { request_id: 'request-1', traceparent: ownPlace, locale: 'de-DE' };
  for (const [init, shown] of [
    [{ headers }, { shown: 'de-DE' }],
    [body, {}],
  ] as const) {
    const answer = await fetch(`${url}/cases/1?search=Ada`, init);
    assert.deepEqual(await answer.json(), { ...here, ...shown }, 'before and after a body is read');
  }
  const paths = ['/status/499', '/status/500', '/status/503', '/nowhere/Ada', '/health/live', '/health/broken'];
  for (const path of paths) await (await fetch(url + path, { headers })).text();
  const expected = [
    ['GET', '/cases/:id', 200],
    ['POST', '/cases/:id', 200],
    ['GET', '/status/:status', 499],
    ['GET', '/status/:status', 500],
    ['GET', '/status/:status', 503],
    ['GET', undefined, 404],
    ['GET', '/health/live', 200],
    ['GET', '/health/broken', 503],
  ] as const;
  await eventually('all answers are reported', () => observed.length === expected.length);
  assert.deepEqual(
    observed,
    expected.map(([method, route, status]) => ({ method, route, status, isTimed: true })),
  );
  const withoutProbe = expected.slice(0, -2);
  assert.deepEqual(
    spans,
    withoutProbe.map(([method, route, status]) => ({
      kind: 'server',
      from: parent,
      name: `${method} ${route ?? 'none'}`,
      failed: status >= 500,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        request_id: 'request-1',
      },
    })),
  );
  const answered = lines.filter(({ msg }) => msg === 'answered');
  assert.deepEqual(
    answered.map(({ level, method, route, status }) => [level, method, route, status]),
    // A probe is logged only when it failed.
    [...withoutProbe, ...expected.slice(-1)].map(([method, route, status]) => [status >= 500 ? 50 : 30, method, route, status]),
  );
  assert.doesNotMatch(JSON.stringify([lines, spans, observed]), /Ada/, 'no path and no search');
});

test('[EDGE-5, METRIC-4] an id and a place in a trace are accepted in one form, and anything else is replaced or left out', () => {
  const [trace, span] = ['a'.repeat(32), 'b'.repeat(16)];
  for (const id of ['12345678', 'a'.repeat(64), 'A_b-c.d9']) assert.equal(requestIdIn({ 'x-request-id': id }), id);
  const strange = ['1234567', 'a'.repeat(65), 'a b c d e', 'äääääääää', '12345678\n', '', undefined, ['12345678', '12345678']];
  const replaced = strange.map((id) => requestIdIn({ 'x-request-id': id as string }));
  for (const [at, id] of replaced.entries()) {
    assert.notEqual(id, strange[at]);
    assert.equal(requestIdIn({ 'x-request-id': id }), id, 'a new id is valid itself');
  }
  assert.equal(new Set(replaced).size, strange.length, 'and each is another one');
  for (const flags of ['00', '01', 'ff']) {
    const place = `00-${trace}-${span}-${flags}`;
    assert.equal(traceparentIn({ traceparent: place }), place);
  }
  for (const place of [
    `01-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}a-${span}-01`,
    `00-${trace}-${span}b-01`,
    `00-${trace}-${span}-1`,
    `00-${trace}-${span}-01-more`,
    ` 00-${trace}-${span}-01`,
    '',
  ])
    assert.equal(traceparentIn({ traceparent: place }), undefined, place);
});
