import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '../test/support/database.ts';
import { inOpenTransaction } from '../test/support/run-overlapping.ts';
import { createCallCounter } from './call-counter.ts';
import { TooManyRequestsError } from './errors.ts';
import type { Log } from './log.ts';
import { type Executor, query, sql } from './sql.ts';

const MINUTE = 60_000;
/** The beginning of a minute that is not a tenth one, in which old counts are deleted too. */
const BEGIN = 29_000_001 * MINUTE;

/** A table of counts in memory, which can be away, and everything that was written to it. */
function makeTable() {
  const written: number[][] = [];
  const totals = new Map<string, number>();
  const state: { answer: 'at once' | 'later' | 'never' | 'away' } = { answer: 'at once' };
  /** Ends the statements that are answered later. */
  const ends: (() => void)[] = [];
  const pool: Executor = {
    async query({ values }) {
      if (state.answer === 'away') throw new Error('away');
      if (state.answer === 'never') await new Promise(() => {});
      if (state.answer === 'later') await new Promise<void>((resolve) => ends.push(resolve));
      const [subjects = [], calls = []] = values.filter(Array.isArray) as [string[], number[]];
      if (subjects.length === 0) return { rows: [] };
      written.push(calls);
      const minute = values.find((value) => typeof value === 'number');
      const rows = subjects.map((subject, at) => {
        const total = (totals.get(`${minute} ${subject}`) ?? 0) + (calls[at] ?? 0);
        totals.set(`${minute} ${subject}`, total);
        return { subject, calls: total };
      });
      return { rows };
    },
  };
  return { pool, written, state, ends };
}

function makeCounter(pool: Executor, most: number, time = () => BEGIN) {
  const warnings: string[] = [];
  const log = { warn: (_entry: unknown, message: string) => warnings.push(message) } as unknown as Log;
  const words = (seconds: number) => `Wait ${seconds} seconds.`;
  const counter = createCallCounter({ pool, log, now: () => new Date(time()), limits: { calls: { most, words } } });
  return { counter, warnings };
}

/** Timers that would keep this process alive. */
const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('[RATE-1, RATE-5] a rejected call says the first whole second in which the next one is counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(0, 1, 999, 1000, 1001, 59_000, 59_001, 59_999), fc.nat(59_999)), async (ms) => {
      let time = BEGIN + ms;
      const { counter } = makeCounter(makeTable().pool, 1, () => time);
      const { resetSeconds } = await counter.count('calls', 'somebody');
      const error = await counter.count('calls', 'somebody').catch((reason) => reason);
      assert.ok(error instanceof TooManyRequestsError);
      const { retryAfter, message, limit } = error;
      assert.deepEqual([retryAfter, message, limit?.resetSeconds], [resetSeconds, `Wait ${resetSeconds} seconds.`, resetSeconds]);
      time = BEGIN + ms + (retryAfter - 1) * 1000;
      await assert.rejects(counter.count('calls', 'somebody'), TooManyRequestsError, 'a second earlier is too early');
      time += 1000;
      await counter.count('calls', 'somebody');
      await counter.stop();
    }),
    { numRuns: 40 },
  );
});

test('[RATE-1] calls far below a limit are written after half a second, and those after them again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pool, written } = makeTable();
  const { counter } = makeCounter(pool, 100);
  await counter.count('calls', 'somebody');
  assert.deepEqual(written, [[1]], 'the first call of a minute asks what others have counted');
  for (const calls of [3, 2, 4]) {
    for (let call = 0; call < calls; call += 1) await counter.count('calls', 'somebody');
    t.mock.timers.tick(499);
    await settle();
    assert.equal(written.at(-1)?.[0] === calls, false);
    t.mock.timers.tick(1);
    await settle();
    assert.deepEqual(written.at(-1), [calls]);
  }
});

test('[RATE-1] calls that arrive while others are being written are counted once, together, by the next statement', async () => {
  const { pool, written, state, ends } = makeTable();
  const { counter } = makeCounter(pool, 100);
  state.answer = 'later';
  const count = (subject: string) => counter.count('calls', subject).then(({ remaining }) => `${subject} ${remaining}`);
  const counting = [count('one')];
  await settle();
  counting.push(count('one'), count('other'), count('one'));
  await settle();
  assert.equal(ends.length, 1, 'one statement at a time');
  ends.shift()?.();
  assert.equal(await counting[0], 'one 99');
  await settle();
  counting.push(count('other'));
  await settle();
  ends.shift()?.();
  await settle();
  state.answer = 'at once';
  ends.shift()?.();
  assert.deepEqual(await Promise.all(counting), ['one 99', 'one 98', 'other 99', 'one 97', 'other 98']);
  await counter.stop();
  assert.deepEqual(
    written.map((calls) => calls.toSorted((a, b) => a - b)),
    [[1], [1, 2], [1]],
  );
});

test('[RATE-1] each outage of the counts is logged once, and no call waits longer than a second for the database', async (t) => {
  const { pool, state } = makeTable();
  let time = BEGIN;
  const { counter, warnings } = makeCounter(pool, 100, () => time);
  for (const outage of [1, 2, 3]) {
    state.answer = 'away';
    for (let call = 0; call < 3; call += 1) await counter.count('calls', `${outage}-${call}`);
    assert.deepEqual(warnings, Array(outage).fill('calls are counted by this process only'));
    state.answer = 'at once';
    await counter.count('calls', `${outage} is over`);
    time += MINUTE;
  }
  t.mock.timers.enable({ apis: ['setTimeout'] });
  state.answer = 'never';
  let isCounted = false;
  const counting = counter.count('calls', 'nobody answers').then(() => (isCounted = true));
  for (const [ms, expected] of [
    [999, false],
    [1, true],
  ] as const) {
    t.mock.timers.tick(ms);
    await settle();
    assert.equal(isCounted, expected, `after ${ms} ms`);
  }
  await counting;
});

test('[PROCESS-1] counting keeps no process alive, while it waits or afterward', async () => {
  const { pool, state } = makeTable();
  const before = countTimers();
  const { counter } = makeCounter(pool, 100);
  await counter.count('calls', 'somebody');
  await counter.count('calls', 'somebody');
  assert.equal(countTimers(), before, 'calls that are written later');
  state.answer = 'never';
  void counter.count('calls', 'somebody else');
  await settle();
  assert.equal(countTimers(), before, 'a call that waits');
});

test('[RATE-1] each process counts the calls of the others as soon as it asks, and rejects above the limit of all', async () => {
  const { pool } = makeTable();
  const [here, there] = [makeCounter(pool, 10).counter, makeCounter(pool, 10).counter];
  const remaining = async (counter: typeof here, calls: number) => {
    const left: number[] = [];
    for (let call = 0; call < calls; call += 1) left.push((await counter.count('calls', 'somebody')).remaining);
    return left;
  };
  assert.deepEqual(await remaining(here, 1), [9]);
  assert.deepEqual(await remaining(there, 3), [8, 7, 6], 'one asks at first');
  await there.stop();
  assert.deepEqual(await remaining(here, 1), [8], 'nothing is asked in the lower half');
  await here.stop();
  assert.deepEqual(await remaining(here, 5), [4, 3, 2, 1, 0]);
  await assert.rejects(here.count('calls', 'somebody'), TooManyRequestsError);
  await there.stop();
  assert.equal((await remaining(there, 1)).length, 1, 'it has not asked yet');
  await there.stop();
  await assert.rejects(there.count('calls', 'somebody'), TooManyRequestsError);
});

test('[RATE-1] every tenth minute, counts that are more than ten minutes old are deleted', async () => {
  let minute = 29_000_001;
  const deleted: unknown[][] = [];
  const { pool } = makeTable();
  const following: Executor = {
    query: async (statement) => {
      if (/^\s*delete/.test(statement.text)) deleted.push([minute, ...statement.values]);
      return pool.query(statement);
    },
  };
  const { counter } = makeCounter(following, 10, () => minute * MINUTE);
  for (; minute <= 29_000_021; minute += 1) {
    await counter.count('calls', 'somebody');
    await counter.stop();
  }
  assert.deepEqual(deleted, [
    [29_000_010, 29_000_000],
    [29_000_020, 29_000_010],
  ]);
});

test('[RATE-1] old counts are deleted without waiting for one that another process is changing', async () => {
  const { db, pool } = await createTestDatabase();
  const subjects = async () => (await pool.query('select subject from call_count where calls < 0 order by 1')).rows;
  await pool.query(`insert into call_count values ('busy', 1, -1), ('old', 1, -1)`);
  await inOpenTransaction(pool, async (other) => {
    await other.query(`select from call_count where subject = 'busy' for update`);
    const impatient: Executor = {
      query: (statement) =>
        db.transaction(async (tx) => {
          await query(tx, sql`set local lock_timeout = '1s'`);
          return tx.query(statement);
        }),
    };
    const { counter, warnings } = makeCounter(impatient, 10, () => 29_000_010 * MINUTE);
    await counter.count('calls', 'somebody');
    await counter.stop();
    assert.deepEqual(warnings, []);
  });
  assert.deepEqual(await subjects(), [{ subject: 'busy' }]);
});
