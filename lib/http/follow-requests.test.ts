import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { publicRoute } from '../guards.ts';
import { createHttpServer, listen } from '../http-server.ts';

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
