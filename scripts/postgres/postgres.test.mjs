import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres } from './postgres.mjs';
import { removePlace } from './postgres-place.mjs';
import { findRunningPostgres } from './running-postgres.mjs';

const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
chmodSync(folder, 0o711);
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a database that is kept', () => {
  const dataDir = makeDataDir('kept');
  const cluster = join(dataDir, 'postgres');
  let rows = 0;

  /** Starts it, adds a row, and checks that every row of the earlier starts is there. */
  async function startAndCount() {
    const postgres = await startPostgres({ dataDir, mode: 'durable' });
    rows += 1;
    const count = await ask(
      postgres.url,
      'create table if not exists start (id integer generated always as identity)',
      'insert into start default values',
      'select count(*)::int from start',
    );
    assert.deepEqual(count, [rows]);
    return postgres;
  }

  // Each test finds an existing database.
  before(async () => (await startAndCount()).stop());

  test('is the same on every machine, and its password cannot be read', async () => {
    const postgres = await startAndCount();
    assert.equal(new URL(postgres.url).pathname, '/case_platform');
    const [encoding] = await ask(postgres.url, 'show server_encoding');
    const [provider] = await ask(postgres.url, 'select datlocprovider from pg_database where datname = current_database()');
    assert.deepEqual([encoding, provider], ['UTF8', 'b']);
    assert.equal(statSync(join(dataDir, 'postgres.password')).mode & 0o777, 0o600);
    const wrong = postgres.url.replace(/:[0-9a-f]+@/, ':wrong@');
    await assert.rejects(ask(wrong, 'select 1'), { code: '28P01' });
    await postgres.stop();
    await postgres.ended;
  });

  test('continues with a server that outlived its supervisor', async () => {
    const [first, second] = [await startAndCount(), await startAndCount()];
    await first.ended;
    await second.stop();
  });

  test('[OPERATE-7] is found by its data folder while it runs, and only then', async () => {
    const postgres = await startAndCount();
    const { DATABASE_URL, MIGRATION_DATABASE_URL, WORKER_DATABASE_URL } = findRunningPostgres(dataDir) ?? {};
    assert.deepEqual(
      [DATABASE_URL, MIGRATION_DATABASE_URL, WORKER_DATABASE_URL],
      [postgres.urlAs(), postgres.url, postgres.urlAs('worker')],
    );
    await postgres.stop();
    assert.equal(findRunningPostgres(dataDir), null);
    assert.equal(findRunningPostgres(join(dataDir, 'none')), null);
  });

  test('starts although an unrelated process has the number that the last server noted', async () => {
    writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n`);
    await (await startAndCount()).stop();
  });

  test('gets a new password when the old one is lost', async () => {
    rmSync(join(dataDir, 'postgres.password'));
    await (await startAndCount()).stop();
  });

  test('rejects the data of another version, naming DATA_DIR', async () => {
    const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8');
    writeFileSync(join(cluster, 'PG_VERSION'), '9\n');
    await assert.rejects(startPostgres({ dataDir, mode: 'durable' }), { message: /^DATA_DIR: .* is of PostgreSQL 9;/ });
    writeFileSync(join(cluster, 'PG_VERSION'), version);
  });
});

test('a throwaway database leaves nothing', async () => {
  const dataDir = makeDataDir('throwaway');
  const postgres = await startPostgres({ dataDir, mode: 'throwaway' });
  assert.deepEqual(await ask(postgres.url, 'show fsync'), ['off']);
  await postgres.stop();
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

// Only root starts PostgreSQL as another user, who may not be able to enter every folder.
if (process.getuid?.() === 0) {
  test('below a folder closed to its user the data is elsewhere, and moves with DATA_DIR', async () => {
    const dataDir = join(makeDataDir('closed'), 'data');
    mkdirSync(dataDir);
    chmodSync(join(folder, 'closed'), 0o700);
    const first = await startPostgres({ dataDir, mode: 'durable' });
    await ask(first.url, 'create table mark ()');
    await first.stop();
    const place = readFileSync(join(dataDir, 'postgres.location'), 'utf8');
    assert.ok(!existsSync(join(dataDir, 'postgres')));

    const second = await startPostgres({ dataDir, mode: 'durable' });
    assert.deepEqual(await ask(second.url, "select to_regclass('mark')::text"), ['mark']);
    await second.stop();

    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir);
    const third = await startPostgres({ dataDir, mode: 'durable' });
    assert.deepEqual(await ask(third.url, "select to_regclass('mark')::text"), [null]);
    assert.ok(!existsSync(place));
    await third.stop();
    removePlace(dataDir);
  });
}

/** @param {string} name */
function makeDataDir(name) {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { mode: 0o711 });
  return dataDir;
}

/**
 * @param {string} url
 * @param {string[]} statements
 * @returns {Promise<unknown[]>} the first value of each row of the last statement
 */
async function ask(url, ...statements) {
  const client = new pg.Client({ connectionString: url });
  // The server may stop while the client is connected.
  client.on('error', () => {});
  await client.connect();
  try {
    /** @type {unknown[][]} */
    let rows = [];
    for (const text of statements) rows = (await client.query({ text, rowMode: 'array' })).rows;
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}
