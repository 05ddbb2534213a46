import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { CASE_1 } from '../support/cast.ts';
import { TEST_SECRETS } from '../support/database.ts';
import { draft, fundCase, move } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { operate } from './operator.ts';

const api = await startApi();
const folder = await mkdtemp(join(tmpdir(), 'export-'));
after(() => rm(folder, { recursive: true, force: true }));
const [surrogate, parent] = [await api.as('surrogate'), await api.as('parent')];
const { settings } = api.storage;
const run = (...args: string[]) =>
  operate('scripts/operate.mjs', ['export-person', ...args], {
    NODE_ENV: 'test',
    DATABASE_URL: api.url,
    ENCRYPTION_KEY: TEST_SECRETS.encryptionKey,
    S3_ENDPOINT: settings.endpoint,
    S3_BUCKET: settings.bucket,
    S3_REGION: settings.region,
    S3_ACCESS_KEY_ID: settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  });

/** Reads the files of an archive by its directory, as every program does. */
async function unpack(path: string): Promise<Map<string, Buffer>> {
  const zip = await readFile(path);
  const end = zip.length - 22;
  assert.equal(zip.readUInt32LE(end), 0x06054b50);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [crc, size, nameLength] = [zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const name = zip.subarray(at + 46, at + 46 + nameLength).toString();
    const begin = zip.readUInt32LE(at + 42) + 30 + nameLength;
    const content = zip.subarray(begin, begin + size);
    assert.equal(crc32(content), crc, name);
    files.set(name, content);
    at += 46 + nameLength;
  }
  return files;
}

describe('[PRIVACY-1] exporting a person', () => {
  test('[PRIVACY-1] an export contains a person’s own data and what they saw, with their files, and nothing else of other people', async () => {
    const content = await samplePdf('own');
    const file = { name: 'Größe.pdf', type: 'application/pdf', content };
    const to = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
    const own = { message: 'From me', case_id: String(CASE_1) };
    assert.equal((await surrogate.form('/api/messages', own, [file])).status, 201);
    const received = { message: 'To you', case_id: String(CASE_1), recipients: to };
    assert.equal((await parent.form('/api/messages', received)).status, 201);
    const others = { message: 'Between others', case_id: String(CASE_1) };
    assert.equal((await parent.form('/api/messages', others)).status, 201);
    await fundCase(api, CASE_1, 900_000);
    const request = await draft(surrogate, { description: 'Asked for by me' });
    await move(surrogate, request.id, 'submit');
    await draft(parent, { description: 'A draft of the parent’s' });

    const path = join(folder, 'person.zip');
    const done = await run('--user', String(surrogate.userId), '--to', path);
    assert.deepEqual([done.code, done.errors], [0, '']);
    assert.ok(!existsSync(`${path}.unfinished`));
    const files = await unpack(path);
    const person = JSON.parse(files.get('person.json')?.toString() ?? '');
    assert.deepEqual(person.records[0].email_address, 'surrogate@demo.test');
    const texts = person.messages.map(({ message }: { message: string }) => message);
    assert.ok(texts.includes('From me') && texts.includes('To you') && !texts.includes('Between others'), String(texts));
    assert.ok(person.requests.some(({ description }: { description: string }) => description === 'Asked for by me'));
    assert.ok(person.audit_log.length > 0 && person.cases.length > 0);
    const text = JSON.stringify(person);
    for (const secret of ['A draft of the parent', 'password_hash', 'two_factor_secret', 'parent@demo.test'])
      assert.ok(!text.includes(secret), secret);
    const attached = [...files].find(([name]) => name.endsWith('Größe.pdf'));
    assert.ok(attached?.[1].equals(content));
    assert.deepEqual(person.files.toSorted(), [...files.keys()].filter((name) => name !== 'person.json').toSorted());
    for (const account of person.bank_accounts) assert.match(account.account_number, /^\d{4,17}$/);
  });

  test('[PRIVACY-1] a file that exists, an unknown person, and missing arguments are rejected in one line', async () => {
    assert.match((await run('--user', '987654', '--to', join(folder, 'x.zip'))).errors, /^There is no user 987654\.\n$/);
    for (const args of [[], ['--user', '1'], ['--to', 'x'], ['--user', 'x', '--to', 'y']])
      assert.match((await run(...args)).errors, /^Use: npm run export-person/);
    const path = join(folder, 'person.zip');
    assert.match((await run('--user', String(surrogate.userId), '--to', path)).errors, /already exists\.\n$/);
  });
});
