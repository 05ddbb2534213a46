import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Layer } from './layer.mjs';

const dataDir = mkdtempSync(join(tmpdir(), 'layer-'));
mkdirSync(join(dataDir, 'logs'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const stranger = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
await new Promise((listening) => stranger.once('listening', () => listening(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (stranger.address());
after(() => stranger.close());

/**
 * Returns a layer whose process runs this program instead.
 * @param {string} program
 */
function layerOf(program) {
  const node = join(dataDir, 'node');
  writeFileSync(join(dataDir, 'program.mjs'), program);
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' '${join(dataDir, 'program.mjs')}'\n`);
  chmodSync(node, 0o755);
  const probe = `http://127.0.0.1:${port}/health/ready`;
  return new Layer({ name: 'web', node, env: process.env, dataDir, probe, onLost: () => {} });
}

test('[START-1] a layer whose port is answered by another program is not ready until it says so itself', async () => {
  const layer = layerOf(`setTimeout(() => { console.error('WEB_PORT is taken.'); process.exitCode = 1; }, 300);`);
  await assert.rejects(layer.start(), /WEB_PORT is taken/);
});

test('[START-1] a layer that says that it is ready and whose port answers is ready', async () => {
  const layer = layerOf(`process.send('ready'); process.once('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);`);
  await layer.start();
  await layer.stop();
});
