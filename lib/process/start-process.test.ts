import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';

/**
 * A process that writes what it does while it ends. Its collector of traces is in the test, which looks at the process's internal
 * port when the last spans arrive.
 */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { loadConfigWithDatabase } from './config.ts';
  import { startProcess } from './process/start-process.ts';
  const say = (line) => writeSync(1, JSON.stringify({ msg: line }) + '\\n');
  const parts = await startProcess('api', loadConfigWithDatabase('api'), { migrations: [] });
  const end = parts.pool.end.bind(parts.pool);
  parts.pool.end = async () => { await end(); say('the pool is closed'); };
  await parts.serveInternally(async () => {});
  // The last call needs the database, and leaves a span.
  const close = async () => {
    const span = parts.tracing.begin('server', undefined);
    await parts.pool.query('select 1');
    span.end({ name: 'the last call', failed: false, attributes: {} });
    say('the last call is done');
  };
  await parts.run({ close, info: { port: 4000 }, drainSeconds: 0 });`;

test('[PROCESS-1, METRIC-1] a process that ends finishes its calls, closes its pool, sends its last spans, and can be observed until then', async () => {
  const { url } = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'start-process-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const lines: Record<string, unknown>[] = [];
  let internalPort = 0;
  const collector = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    assert.match(body, /the last call/);
    const { status } = await fetch(`http://127.0.0.1:${internalPort}/health/live`).catch(() => ({ status: 0 }));
    lines.push({ msg: `the last span arrives, and the probe of life gets ${status}` });
    response.end('{}');
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  after(() => collector.close());
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process that does not end would outlive its test.
    timeout: 60_000,
    killSignal: 'SIGKILL',
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      API_INTERNAL_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    },
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    for (const line of chunk.split('\n').filter(Boolean)) {
      const entry = JSON.parse(line);
      lines.push(entry);
      if (entry.msg !== 'api is ready') continue;
      assert.deepEqual([entry.port, typeof entry.internal_port], [4000, 'number']);
      internalPort = entry.internal_port;
      child.kill('SIGTERM');
    }
  });
  const [, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    [
      'api is ready',
      'api is stopping',
      'the last call is done',
      'the pool is closed',
      'the last span arrives, and the probe of life gets 200',
    ],
  );
  assert.equal(code, 0);
});
