import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ROOT } from '../checkout/checkout.mjs';
import { openDataDir, readSettings, requireFreePorts } from './settings.mjs';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
after(() => rmSync(folder, { recursive: true }));

describe('readSettings', () => {
  test('[START-6] the default ports, host, and folder', () => {
    const settings = readSettings([], {});
    assert.equal(settings.host, '127.0.0.1');
    assert.deepEqual(
      settings.listeners.map(({ setting, port }) => [setting, port]),
      [
        ['WEB_PORT', 3000],
        ['API_PORT', 4000],
        ['ADMIN_PORT', 4001],
        ['STORAGE_PORT', 4002],
      ],
    );
    assert.deepEqual(settings.layers, ['api', 'admin', 'worker', 'web']);
    assert.deepEqual([settings.demo, settings.storage, settings.database], [true, true, true]);
    assert.equal(settings.dataDir, join(ROOT, '.data'));
  });

  test('[START-7] a layer that is left out needs no port, and --no-demo seeds nothing', () => {
    const args = ['--no-web', '--no-admin', '--no-worker', '--no-demo'];
    const settings = readSettings(args, { WEB_PORT: '4000', ADMIN_PORT: '4000' });
    assert.deepEqual([settings.layers, settings.demo], [['api'], false]);
    assert.deepEqual(
      settings.listeners.map(({ name }) => name),
      ['api', 'storage'],
    );
  });

  test('[START-9] an S3 or a PostgreSQL that is set replaces the embedded one, also by NAME_FILE', () => {
    const file = join(folder, 'database-url');
    writeFileSync(file, 'postgres://db.example/case_platform\n');
    const settings = readSettings([], { S3_ENDPOINT: 'https://s3.example', DATABASE_URL_FILE: file });
    assert.deepEqual([settings.storage, settings.database], [false, false]);
  });

  test('production embeds nothing and seeds nothing', () => {
    const settings = readSettings([], { NODE_ENV: 'production' });
    assert.deepEqual([settings.demo, settings.storage, settings.database], [false, false, false]);
  });

  const refusals = /** @type {[string, string[], NodeJS.ProcessEnv, RegExp][]} */ ([
    ['a port out of range', [], { WEB_PORT: '65536' }, /^WEB_PORT: .* 65535/],
    ['a port that browsers block', [], { API_PORT: '4190' }, /^API_PORT: browsers block port 4190\./],
    ['two settings of one port', [], { ADMIN_PORT: '4000' }, /^API_PORT and ADMIN_PORT are both 4000/],
    ['a file that is not there', [], { DATA_DIR_FILE: '/nowhere/at-all' }, /^DATA_DIR_FILE: /],
  ]);
  for (const [title, args, environment, message] of refusals) {
    test(`rejects ${title}`, () => assert.throws(() => readSettings(args, environment), { message }));
  }
});

describe('openDataDir', () => {
  test('makes the folder so that others may pass through it, but not look around', () => {
    const path = join(folder, 'new', 'data');
    openDataDir(path);
    assert.equal(statSync(path).mode & 0o077 & ~0o011, 0);
  });

  // Node's own recursive mkdir never returns on /proc.
  for (const path of ['/dev/null/below', ...(process.platform === 'linux' ? ['/proc/below/it'] : [])]) {
    test(`rejects ${path} at once`, () => {
      assert.throws(() => openDataDir(path), { message: /^DATA_DIR: .* cannot be used: / });
    });
  }
});

describe('requireFreePorts', () => {
  test('names every setting whose port is taken', async () => {
    const { port, close } = await listen();
    const taken = [
      { name: 'api', setting: 'API_PORT', port },
      { name: 'admin', setting: 'ADMIN_PORT', port },
    ];
    const message = `API_PORT: 127.0.0.1:${port} is already in use. ADMIN_PORT: 127.0.0.1:${port} is already in use.`;
    await assert.rejects(requireFreePorts('127.0.0.1', taken), { message });
    close();
  });

  test('waits for a port that is about to become free', async () => {
    const { port, close } = await listen();
    setTimeout(close, 300);
    await requireFreePorts('127.0.0.1', [{ name: 'api', setting: 'API_PORT', port }]);
  });

  test('an address that is not ours is the fault of HOST', async () => {
    await assert.rejects(requireFreePorts('203.0.113.1', [{ name: 'api', setting: 'API_PORT', port: 4000 }]), {
      message: 'HOST: 203.0.113.1 cannot be used: this machine has no such address.',
    });
  });
});

/** @returns {Promise<{ port: number, close: () => void }>} */
function listen() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, close: () => server.close() });
    });
  });
}
