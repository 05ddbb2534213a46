import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createTestDatabase } from '../test/support/database.ts';
import { openGate } from '../test/support/gate.ts';
import { createDatabase, createPool } from './database.ts';
import { answerIdempotencyKey, claimIdempotencyKey, releaseIdempotencyKey, withIdempotencyKey, writeOnce } from './idempotency.ts';

const { db, pool, url } = await createTestDatabase();
const { rows: people } = await pool.query<{ id: number }>('select id::int from user_account order by id limit 2');
const [one = 0, other = 0] = people.map(({ id }) => id);
const HASH = Buffer.alloc(32, 1);
const claim = (key: string, userId = one, hash = HASH) => claimIdempotencyKey(db, userId, key, hash, new Date());
const age = (key: string, minutes: number) =>
  pool.query(`update idempotency_key set created_at = created_at - make_interval(mins => $2) where key = $1`, [key, minutes]);

test('[IDEMPOTENCY-3] a key belongs to its person and its request', async () => {
  const key = randomUUID();
  await answerIdempotencyKey(db, await claim(key), { id: 1 });
  assert.deepEqual((await claim(key)).answer, { id: 1 });
  await assert.rejects(claim(key, one, Buffer.alloc(32, 2)), { code: 'idempotency_key_reused' });
  assert.equal((await claim(key, other, Buffer.alloc(32, 2))).answer, undefined);
  await assert.rejects(claim(key, other, Buffer.alloc(32, 2)), { code: 'idempotency_key_in_flight' });
});

test('[IDEMPOTENCY-3] an answer is kept 24 hours', async () => {
  const key = randomUUID();
  await answerIdempotencyKey(db, await claim(key), { id: 1 });
  await age(key, 24 * 60 - 1);
  assert.deepEqual((await claim(key)).answer, { id: 1 });
  await age(key, 2);
  assert.equal((await claim(key)).answer, undefined);
});

test('[IDEMPOTENCY-4] a claim whose process died expires after two minutes, and can no longer answer', async () => {
  const key = randomUUID();
  const first = await claim(key);
  await pool.query(`update idempotency_key set created_at = created_at - interval '110 seconds' where key = $1`, [key]);
  await assert.rejects(claim(key), { code: 'idempotency_key_in_flight' });
  await pool.query(`update idempotency_key set created_at = created_at - interval '20 seconds' where key = $1`, [key]);
  const second = await claim(key);
  await assert.rejects(answerIdempotencyKey(db, first, { id: 1 }), { code: 'idempotency_key_in_flight' });
  await releaseIdempotencyKey(db, first);
  await answerIdempotencyKey(db, second, { id: 2 });
  assert.deepEqual((await claim(key)).answer, { id: 2 });
});

test('[IDEMPOTENCY-4] a key whose work was interrupted by the database is free soon after it is back', {
  timeout: 30_000,
}, async () => {
  const gate = await openGate(url);
  const gated = createPool({ url: gate.url, name: 'gated', max: 2 });
  after(() => gated.end());
  const key = randomUUID();
  const request = { userId: one, key, hashRequest: () => HASH };
  const broken = withIdempotencyKey(createDatabase(gated), request, async () => {
    await gate.shut();
    return (await gated.query('select 1')).rows;
  });
  await assert.rejects(broken);
  await assert.rejects(claim(key), { code: 'idempotency_key_in_flight' });
  await gate.open();
  const isHeld = async () => (await pool.query('select 1 from idempotency_key where key = $1', [key])).rowCount !== 0;
  while (await isHeld());
  assert.equal((await claim(key)).answer, undefined);
});

test('[IDEMPOTENCY-2, IDEMPOTENCY-4] work in one transaction with its key: in flight, answered, and undone', async () => {
  const key = randomUUID();
  let runs = 0;
  const write = (work = async () => {}, hash = HASH) =>
    writeOnce(db, { userId: one, key, hashRequest: () => hash }, async () => {
      await work();
      runs += 1;
      return { runs };
    });
  await assert.rejects(write(() => Promise.reject(new Error('no'))), /no/);
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = write(() => {
    started.resolve();
    return gate.promise;
  });
  await started.promise;
  // Neither waits for the first request.
  await assert.rejects(write(), { code: 'idempotency_key_in_flight' });
  await assert.rejects(claim(key), { code: 'idempotency_key_in_flight' });
  gate.resolve();
  assert.deepEqual(await first, { runs: 1 });
  assert.deepEqual(await write(), { runs: 1 });
  await assert.rejects(write(undefined, Buffer.alloc(32, 2)), { code: 'idempotency_key_reused' });
  assert.equal(runs, 1);
  const withoutKey = await writeOnce(db, { userId: one, key: undefined, hashRequest: () => HASH }, async () => ({ runs }));
  assert.deepEqual(withoutKey, { runs: 1 });
});
