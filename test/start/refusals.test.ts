import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePorts, takePort } from '../../scripts/test/free-ports.mjs';
import { makeDataDir, makeSettings, processesOf, ROOT, start } from './start-process.ts';

const dataDir = makeDataDir();
const settings = await makeSettings(dataDir);

/** Requires that a start ends with exit code 1, one line that names the setting, and no process left. */
async function refuses(changes: Record<string, string>, line: RegExp, args = ['--no-web', '--no-demo'], cwd = ROOT) {
  const { ended, errors } = start({ ...settings, ...changes }, args, 'node', cwd);
  assert.equal(await ended, 1, errors());
  assert.match(errors(), line);
  assert.equal(errors().trim().split('\n').length, 1, errors());
  assert.deepEqual(await processesOf(dataDir), []);
  const locks = join(dataDir, 'supervisor');
  assert.deepEqual(existsSync(locks) ? readdirSync(locks) : [], []);
}

test('[START-4] a port that is taken', async () => {
  const [port = 0] = await freePorts(1);
  const taken = await takePort(port);
  after(() => taken?.close());
  await refuses({ API_PORT: `${port}` }, /^API_PORT: 127\.0\.0\.1:\d+ is already in use\.$/m);
  await refuses({ WEB_PORT: `${port}` }, /^WEB_PORT: 127\.0\.0\.1:\d+ is already in use\.$/m, []);
});

test('[START-4] a port that is not one', () => refuses({ ADMIN_PORT: 'abc' }, /^ADMIN_PORT: .* whole number/));

test('[START-4] an unknown argument', () => refuses({}, /^--fast is unknown/, ['--fast']));

test('[START-4] a DATA_DIR that is a file', async () => {
  const file = `${dataDir}-file`;
  writeFileSync(file, '');
  await refuses({ DATA_DIR: file }, /^DATA_DIR: .* cannot be used: it is not a folder\.$/m);
});

test('[START-4] a checkout in a folder that build tools read as a part of a URL', async () => {
  const checkout = join(dataDir, '..', 'a#b');
  for (const part of ['scripts', 'lib/config']) cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  await refuses({}, /^The checkout is in \S+a#b, and build tools cannot read a path with # or \?\./, [], checkout);
});

test('[START-4] a DATABASE_URL that is rejected', async () => {
  const [port] = await freePorts(1);
  const secret = 'not-to-be-shown';
  const url = `postgres://someone:${secret}@127.0.0.1:${port}/case_platform`;
  await refuses({ DATABASE_URL: url }, /^DATABASE_URL (?!.*not-to-be-shown)/);
});

test('[START-4] a DATABASE_URL that is not one', () => refuses({ DATABASE_URL: 'mysql://127.0.0.1/x' }, /^DATABASE_URL /));

test('[SETTING-1] production without its secrets: all of them at once, and no embedded database', async () => {
  const bare = { NODE_ENV: 'production' };
  await refuses(bare, /(?=.*\bDATABASE_URL\b)(?=.*\bJWT_SECRET\b)(?=.*\bENCRYPTION_KEY\b)(?=.*\bMASTER_API_KEY\b)/);
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});
