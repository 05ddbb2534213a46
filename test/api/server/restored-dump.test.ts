import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { dumpDatabase } from '@case-platform/db/backup/dump-database';
import { loadDatabase } from '@case-platform/db/backup/load-database';
import { readSnapshot } from '@case-platform/db/backup/read-snapshot';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { createTestDatabase, serverUrl } from '../../support/database.ts';
import { catchUp, type ReadEvent } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { passTransactions, startOwnCluster } from '../../support/own-cluster.ts';
import { startApi, type TestApi } from '../../support/platform.ts';

const database = await createTestDatabase();
const owner = createPool({
  url: serverUrl(new URL(database.url).pathname.slice(1)),
  name: 'owner',
  max: 2,
  limitMs: 60_000,
});
const old = await startApi({ database });
const cluster = await startOwnCluster();
after(() => owner.end());

async function restore(name: string): Promise<TestApi> {
  await cluster.run(`create database ${name}`);
  const url = new URL(cluster.url);
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.href, name: 'restored', max: 5, limitMs: 60_000 });
  after(() => pool.end());
  const folder = await mkdtemp(join(tmpdir(), 'dump-'));
  after(() => rm(folder, { recursive: true }));
  const dump = await readSnapshot(owner, ({ client }) => dumpDatabase(client, folder));
  await loadDatabase(pool, dump, folder);
  return startApi({ database: { url: url.href, pool, db: createDatabase(pool) } });
}

const texts = (events: ReadEvent[]) => events.flatMap(({ data }) => (data.message ? [data.message.message] : []));

async function catchesUp(api: TestApi, oldPlace: string): Promise<void> {
  const [parent, escrow] = [await api.as('parent'), await api.as('escrow')];
  const { events } = await catchUp(escrow, oldPlace);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['resync', 'unread'],
    'a place in the old cluster means nothing',
  );
  const { lastId } = await catchUp(escrow);
  const nothing = await catchUp(escrow, lastId);
  assert.deepEqual(texts(nothing.events), [], 'nothing lies in the future');
  await parent.form('/api/messages', { message: 'written after the restore' });
  const missed = await catchUp(escrow, lastId);
  assert.deepEqual(texts(missed.events), ['written after the restore']);
}

test('[LIVE-6] a dump restored into a new cluster continues above every number, whichever cluster’s numbers are higher', async () => {
  const [parent, escrow] = [await old.as('parent'), await old.as('escrow')];
  await passTransactions(owner, 20_000);
  for (let count = 0; count < 13; count += 1) await parent.form('/api/messages', { message: `before ${count}` });
  const { lastId } = await catchUp(escrow);
  await catchesUp(await restore('counted_less'), lastId);

  await passTransactions(await superuser(), 60_000);
  await catchesUp(await restore('counted_further'), lastId);
});

async function superuser() {
  const pool = createPool({ url: cluster.url, name: 'superuser', max: 1, limitMs: 60_000 });
  after(() => pool.end());
  return pool;
}

test('[LIVE-6] after a crash that uses numbers again, a stream that comes back reads everything', async () => {
  const api = await restore('crashed');
  const escrow = await api.as('escrow');
  const { lastId } = await catchUp(escrow);
  await cluster.crash();
  await eventually('the server is back', async () => (await escrow.get('/api/messages')).status === 200);
  // Other transactions have the numbers that were lost.
  await passTransactions(await superuser(), 10_000);
  const { events, lastId: afterwards } = await catchUp(escrow, lastId);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['resync', 'unread'],
  );
  const nothing = await catchUp(escrow, afterwards);
  assert.deepEqual(
    nothing.events.map(({ event }) => event),
    ['unread'],
    'the server has not crashed since',
  );
});

test('[LIVE-6] a dump contains no transaction numbers', async () => {
  const listColumns = async (kind: string) => {
    const { rows } = await owner.query(
      `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
          and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = $1 and a.atttypid in ('xid'::regtype, 'xid8'::regtype, 'pg_snapshot'::regtype)`,
      [kind],
    );
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(await listColumns(''), []);
  assert.deepEqual(await listColumns('s'), ['message.written_in'], 'a generated column is computed again');
});
