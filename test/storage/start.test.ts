import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/storage/main.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'storage-start-'));
after(() => rm(folder, { recursive: true }));

function start(environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: folder, STORAGE_PORT: '0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function refusal(environment: Record<string, string>): Promise<{ code: number; lines: string[] }> {
  const child = start(environment);
  const [[code], words] = await Promise.all([once(child, 'exit'), text(child.stderr ?? Readable.from([]))]);
  return { code, lines: words.split('\n').filter((line) => line !== '') };
}

async function ready(child: ChildProcess): Promise<number> {
  const [message] = await once(child, 'message');
  return (message as { port: number }).port;
}

test('the store starts, answers its probes, and stops on SIGTERM, and a second start on its port names the setting', async () => {
  const child = start({});
  const port = await ready(child);
  for (const probe of ['live', 'ready']) {
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/${probe}`)).status, 200);
  }
  const second = await refusal({ STORAGE_PORT: String(port) });
  assert.equal(second.code, 1);
  assert.equal(second.lines.length, 1);
  assert.match(second.lines[0] ?? '', /STORAGE_PORT/);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the store refuses to start in production, with one line', async () => {
  const { code, lines } = await refusal({ NODE_ENV: 'production' });
  assert.equal(code, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /NODE_ENV=production/);
});

test('a DATA_DIR that cannot be used is named in one line', async () => {
  const { code, lines } = await refusal({ DATA_DIR: join(main, 'below-a-file') });
  assert.equal(code, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /DATA_DIR/);
});
