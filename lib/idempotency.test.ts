import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { after, test } from 'node:test';
import { createTestDatabase } from '../test/support/database.ts';
import { openGate } from '../test/support/gate.ts';
import { createDatabase, createPool } from './database.ts';
import {
  answerIdempotencyKey,
  claimIdempotencyKey,
  releaseIdempotencyKey,
  withIdempotencyKey,
  writeOnce,
} from './idempotency.ts';
import { query, sql } from './sql.ts';

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
  await assert.rejects(
    write(() => Promise.reject(new Error('no'))),
    /no/,
  );
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

test('[IDEMPOTENCY-3, IDEMPOTENCY-4, API-9] a claim lasts two minutes and an answer 24 hours, each to the last microsecond', async () => {
  for (const [lifetime, isAnswered] of [
    ['2 minutes', false],
    ['24 hours', true],
  ] as const) {
    const key = randomUUID();
    const first = await claim(key);
    if (isAnswered) await answerIdempotencyKey(db, first, { id: 1 });
    // The time stands still within a transaction.
    const takeOver = (microseconds: number) =>
      db.transaction(async (tx) => {
        const age = sql`now() - ${lifetime}::interval - ${microseconds} * interval '1 microsecond'`;
        await query(tx, sql`update idempotency_key set created_at = ${age} where key = ${key}`);
        return claimIdempotencyKey(tx, one, key, Buffer.alloc(32, 2), new Date());
      });
    await assert.rejects(takeOver(0), { code: 'idempotency_key_reused' }, lifetime);
    assert.equal((await takeOver(1)).answer, undefined, lifetime);
  }
});

test('[IDEMPOTENCY-2, IDEMPOTENCY-3] a key that has expired belongs to its next request alone, which begins without an answer', async () => {
  const key = randomUUID();
  await answerIdempotencyKey(db, await claim(key), { id: 1 });
  await age(key, 24 * 60 + 1);
  const other = Buffer.alloc(32, 2);
  const next = await claim(key, one, other);
  await assert.rejects(claim(key, one, other), { code: 'idempotency_key_in_flight' });
  await assert.rejects(claim(key), { code: 'idempotency_key_reused' });
  await answerIdempotencyKey(db, next, { id: 2 });
  assert.deepEqual((await claim(key, one, other)).answer, { id: 2 });
});

test('[IDEMPOTENCY-1, IDEMPOTENCY-4] only a claim that is still without an answer is released, and only by its own process', async () => {
  const key = randomUUID();
  const first = await claim(key);
  assert.equal(await releaseIdempotencyKey(db, { ...first, claimedAt: new Date(first.claimedAt.getTime() - 1) }), false);
  assert.equal(await releaseIdempotencyKey(db, { ...first, userId: other }), false);
  await assert.rejects(claim(key), { code: 'idempotency_key_in_flight' });
  await answerIdempotencyKey(db, first, { id: 1 });
  assert.equal(await releaseIdempotencyKey(db, first), false);
  assert.deepEqual((await claim(key)).answer, { id: 1 });
});

test('[IDEMPOTENCY-4] a key is released as soon as the database lets it, and is not looked for forever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The module has its own name for this function.
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const wrong = Object.assign(new Error('wrong'), { code: '42501' });
  const all = <Outcome>(count: number, outcome: Outcome) => Array<Outcome>(count).fill(outcome);
  const rows: [what: string, outcomes: ('released' | 'missing' | Error)[], tries: number][] = [
    ['it is back at once', ['released', 'missing'], 1],
    ['it is back after a while', [...all(20, away), 'released', 'missing'], 21],
    ['the claim becomes visible late', [away, ...all(9, 'missing' as const), 'released', 'missing'], 11],
    ['there is no claim', all(50, 'missing' as const), 10],
    ['it is rejected', [away, wrong, 'missing'], 2],
    ['it never comes back', all(500, away), 240],
  ];
  for (const [what, outcomes, tries] of rows) {
    let tried = -1;
    const executor = {
      query: async ({ text }: { text: string }) => {
        if (/^\s*insert/.test(text)) return { rows: [{}] };
        const outcome = outcomes[++tried];
        if (outcome instanceof Error) throw outcome;
        return { rows: outcome === 'released' ? [{}] : [] };
      },
    };
    const request = { userId: one, key: what, hashRequest: () => HASH };
    await assert.rejects(
      withIdempotencyKey(executor, request, () => Promise.reject(away)),
      away,
      'the client does not wait for it',
    );
    for (let turn = 0; turn < 300; turn += 1) {
      t.mock.timers.tick(499);
      const count = tried;
      await settle();
      assert.equal(tried, count, 'twice a second');
      t.mock.timers.tick(1);
      await settle();
      if (tried === count) break;
    }
    assert.equal(tried + 1, tries, what);
  }
  t.mock.timers.reset();
  syncBuiltinESMExports();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const nowhere = { query: () => Promise.reject(away) };
  await assert.rejects(
    withIdempotencyKey(nowhere, { userId: one, key: 'x', hashRequest: () => HASH }, async () => ({})),
    away,
  );
  assert.equal(timers(), before, 'waiting keeps no process alive');
});

test('[IDEMPOTENCY-3, IDEMPOTENCY-4] a claim is answered once and by its own person, also after two minutes', async () => {
  const key = randomUUID();
  const claimedAt = new Date(Date.now() - 3 * 60_000);
  const [mine, theirs] = [
    await claimIdempotencyKey(db, one, key, HASH, claimedAt),
    await claimIdempotencyKey(db, other, key, HASH, claimedAt),
  ];
  await answerIdempotencyKey(db, mine, { id: 1 });
  await assert.rejects(answerIdempotencyKey(db, mine, { id: 2 }), { code: 'idempotency_key_in_flight' });
  assert.equal(await releaseIdempotencyKey(db, theirs), true, 'the other one has no answer');
  assert.deepEqual((await claim(key)).answer, { id: 1 });
});
