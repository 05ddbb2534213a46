import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { BACKUP_LOCK } from '@case-platform/lib/database/backup-lock';
import { enqueue } from '@case-platform/lib/jobs';
import { findObject, putObject, readObject, type Storage } from '@case-platform/modules/storage';
import type pg from 'pg';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { findBroken } from '../money/money-invariants.ts';
import { CASE_1 } from '../support/cast.ts';
import { serverUrl } from '../support/database.ts';
import { EventReader } from '../support/event-reader.ts';
import { fundCase } from '../support/money.ts';
import { startOwnCluster } from '../support/own-cluster.ts';
import { startApi, startStorage } from '../support/platform.ts';
import { operate } from './operator.ts';
import { listSystemVersions, startSystemCluster } from './system-cluster.ts';

const api = await startApi();
const ownerUrl = serverUrl(new URL(api.url).pathname.slice(1));
const folder = await mkdtemp(join(tmpdir(), 'backup-'));
after(() => rm(folder, { recursive: true, force: true }));
const parent = await api.as('parent');

const settingsOf = (url: string, { settings }: Storage) => ({
  NODE_ENV: 'test',
  DATABASE_URL: url,
  S3_ENDPOINT: settings.endpoint,
  S3_BUCKET: settings.bucket,
  S3_REGION: settings.region,
  S3_ACCESS_KEY_ID: settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
  S3_FORCE_PATH_STYLE: 'true',
});
const ours = settingsOf(ownerUrl, api.storage);
const backUp = (to: string, settings = ours) => operate('scripts/operate.mjs', ['backup', '--to', to], settings);
const restore = (from: string, settings: Record<string, string>) =>
  operate('scripts/operate.mjs', ['restore', '--from', from], settings);

const send = async (text: string) => {
  const file = { name: `${text}.pdf`, type: 'application/pdf', content: await samplePdf(text) };
  const answer = await parent.form('/api/messages', { message: text, case_id: String(CASE_1) }, [file]);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
};

/** People write, send files, and deposit money until the work has ended. */
async function underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const write = async (who: string) => {
    for (let count = 0; !isOver; count += 1) await send(`${who} ${count}`);
  };
  const pay = async () => {
    while (!isOver) await fundCase(api, CASE_1, 1234);
  };
  const load = Promise.all([write('one'), write('two'), pay()]);
  try {
    return await work();
  } finally {
    isOver = true;
    await load;
  }
}

const read = async (pool: pg.Pool, statement: string): Promise<string> => JSON.stringify((await pool.query(statement)).rows);

/** Checks that every file that a row names exists with its original content. */
async function checkFiles(pool: pg.Pool, storage: Storage): Promise<number> {
  const { rows } = await pool.query<{ filename: string; size: number; storage_key: string }>(
    'select filename, size, storage_key from message_file order by id',
  );
  for (const { filename, size, storage_key } of rows) {
    const body = await readObject(storage, storage_key);
    assert.ok(body, `${filename} is there`);
    const chunks = await body.toArray();
    const content = Buffer.concat(chunks);
    assert.equal(content.length, size, filename);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(content), digest(await samplePdf(filename.replace(/\.pdf$/, ''))), filename);
  }
  return rows.length;
}

const SUMS = `
  select (select json_agg(b order by case_id, account) from ledger_balance b) as balances,
         (select count(*) from ledger_posting) as postings, (select sum(amount_cents) from ledger_posting) as sum,
         (select json_agg(m.message order by id) from message m) as messages,
         (select json_agg(e.action order by id) from audit_entry e) as audit,
         (select json_agg(j.payload order by id) from graphile_worker._private_jobs j) as jobs`;

describe('backup and restore', () => {
  const copy = join(folder, 'first');
  let made: Awaited<ReturnType<typeof backUp>>;
  before(async () => {
    await fundCase(api, CASE_1, 100_000);
    for (const text of ['zero', 'zero again']) await send(text);
    made = await underLoad(() => backUp(copy));
  });

  test('[BACKUP-1] a backup under load is one moment of the platform, with every file that its rows name', () => {
    assert.deepEqual([made.code, made.errors], [0, '']);
    assert.match(made.output, /contains \d+ tables with \d+ rows, and \d+ files\.\n$/);
    assert.ok(!existsSync(`${copy}.unfinished`));
    assert.ok(!made.output.includes('not in the bucket'));
  });

  test('[BACKUP-2] a backup is restored into an empty cluster: ledger, messages, and files add up, and live updates arrive', async () => {
    const cluster = await startOwnCluster();
    await cluster.run('create database restored');
    const url = cluster.url.replace(/\/[^/]+$/, '/restored');
    const storage = await startStorage();
    const settings = settingsOf(url, storage);
    const restored = await restore(copy, settings);
    assert.deepEqual([restored.code, restored.errors], [0, '']);
    const pool = createPool({ url, name: 'restored', max: 5 });
    after(() => pool.end());

    assert.deepEqual(await findBroken(pool), {});
    const files = await checkFiles(pool, storage);
    assert.ok(files >= 2, `${files} files`);
    // A message gets its id before it is committed, so of two writers the copy may have the later id without the earlier one.
    for (const who of ['zero', 'one', 'two']) {
      const messages = `select message, retracted_at, created_at from message where message like '${who}%' order by id`;
      const inSource = JSON.parse(await read(api.pool, messages));
      const inCopy = JSON.parse(await read(pool, messages));
      assert.deepEqual(inCopy, inSource.slice(0, inCopy.length), `the messages of ${who} up to one moment`);
    }
    const ledger = 'select * from ledger_posting order by transaction_id, account';
    const postings = JSON.parse(await read(api.pool, ledger));
    const restoredPostings = JSON.parse(await read(pool, ledger));
    assert.deepEqual(restoredPostings, postings.slice(0, restoredPostings.length));

    const prepared = await operate('scripts/start/prepare.ts', ['--no-demo'], { ...settings });
    assert.equal(prepared.code, 0, prepared.errors);
    const there = await startApi({ database: { url, pool, db: createDatabase(pool) } });
    const [writer, reader] = [await there.as('parent'), await there.as('escrow')];
    const authorization = `Bearer ${reader.token}`;
    const events = await EventReader.open(`${there.baseUrl}/api/messages/events`, { authorization });
    await events.next(({ event }) => event === 'unread');
    const answer = await writer.form('/api/messages', { message: 'after the restore', case_id: String(CASE_1) });
    assert.equal(answer.status, 201, 'sequences continue after the existing ids');
    await events.next(({ data }) => data.message?.message === 'after the restore');
    events.close();

    const again = await restore(copy, settings);
    assert.deepEqual(
      [again.code, again.errors],
      [1, 'The database is not empty. A backup can only be restored into an empty one.\n'],
    );
  });

  test('[BACKUP-2] a backup without load is restored with every sum unchanged, on each available major version', async () => {
    const still = join(folder, 'still');
    assert.equal((await backUp(still)).code, 0);
    const cluster = await startOwnCluster();
    await cluster.run('create database other');
    const targets = [cluster.url.replace(/\/[^/]+$/, '/other')];
    for (const version of listSystemVersions()) targets.push(await startSystemCluster(version));
    for (const url of targets) {
      const storage = await startStorage();
      const restored = await restore(still, settingsOf(url, storage));
      assert.deepEqual([restored.code, restored.errors], [0, '']);
      const pool = createPool({ url, name: 'restored', max: 2 });
      assert.equal(await read(pool, SUMS), await read(api.pool, SUMS));
      assert.deepEqual(await findBroken(pool), {});
      await assert.rejects(pool.query('delete from audit_entry'), /append-only/);
      await assert.rejects(pool.query('insert into case_admin values (1, 999999)'), /foreign key/);
      await pool.end();
    }
  });

  test('[BACKUP-1] files whose rows are removed while a backup runs are kept until it has ended', async () => {
    const key = 'messages/1/1/kept.txt';
    await putObject(api.storage, { key, body: Readable.from(['x']), size: 1, contentType: 'text/plain' });
    const owner = createPool({ url: ownerUrl, name: 'backup', max: 1 });
    const holder = await owner.connect();
    await holder.query('select pg_advisory_lock($1)', [BACKUP_LOCK]);
    await enqueue(api.db, 'delete_objects', { keys: [key] });
    await api.work();
    assert.ok(await findObject(api.storage, key), 'the object is still there');
    const other = await backUp(join(folder, 'other'));
    assert.deepEqual([other.code, other.errors], [1, 'Another backup of this database is under way.\n']);
    // A closed connection may keep its lock at the server for a moment, so it is released explicitly.
    await holder.query('select pg_advisory_unlock($1)', [BACKUP_LOCK]);
    holder.release();
    await owner.end();
    await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await api.work();
    assert.equal(await findObject(api.storage, key), null);
  });

  test('[BACKUP-2] a used target, and an unfinished or damaged backup, are rejected in one sentence', async () => {
    const cluster = await startOwnCluster();
    const storage = await startStorage();
    const settings = settingsOf(cluster.url, storage);
    const refused = async (from: string, words: RegExp) => {
      const { code, output, errors } = await restore(from, settings);
      assert.deepEqual([code, output, errors.split('\n').length], [1, '', 2], errors);
      assert.match(errors, words);
    };
    const result = await backUp(copy);
    assert.deepEqual([result.code, result.output], [1, '']);
    assert.match(result.errors, /is not empty\. A backup needs a folder of its own\.\n$/);
    assert.match((await operate('scripts/operate.mjs', ['backup'], ours)).errors, /^Use: npm run backup -- --to FOLDER\n$/);

    const broken = await backUp(join(folder, 'broken'), { ...ours, S3_ENDPOINT: 'http://127.0.0.1:1' });
    assert.equal(broken.code, 1);
    assert.ok(!existsSync(join(folder, 'broken')), 'nothing that looks like a backup');
    await refused(join(folder, 'broken.unfinished'), /has no finished backup/);
    const whole = await backUp(join(folder, 'broken'));
    assert.deepEqual([whole.code, whole.errors], [0, '']);

    const path = join(folder, 'broken', 'objects');
    const [first = ''] = await readdir(path);
    const [name = ''] = await readdir(join(path, first));
    await appendFile(join(path, first, name), 'x');
    await refused(join(folder, 'broken'), /^The backup is damaged: .* Nothing was restored\.\n$/);
    await rm(join(path, first, name));
    await refused(join(folder, 'broken'), /^The backup is damaged/);
    await putObject(storage, { key: 'x', body: Readable.from(['x']), size: 1, contentType: 'text/plain' });
    await refused(copy, /^The bucket is not empty/);
    const manifest = JSON.parse(await readFile(join(copy, 'backup.json'), 'utf8'));
    assert.ok(!JSON.stringify(manifest).includes(new URL(ownerUrl).password), 'no secret in it');
  });
});
