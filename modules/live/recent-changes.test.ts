import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Executor } from '@case-platform/lib/database';
import type { CaseAnnouncement } from '@case-platform/modules/messaging';
import fc from 'fast-check';
import { RecentChanges } from './recent-changes.ts';

const MARK = '0a1b2c3d';
/** As many changes as are kept. */
const KEPT = 1_000;
const FIRST = 100;

/** A database at this snapshot. */
const databaseAt = (snapshot: string): Executor => ({ query: async () => ({ rows: [{ snapshot }] }) });
const changeBy = (transaction: number): CaseAnnouncement => ({
  kind: 'case',
  case_id: 1,
  user_id: null,
  transaction: String(transaction),
  since: `${MARK}-${transaction}`,
});

test('[LIVE-5] a page gets every change that it does not show, or learns that the oldest ones were dropped', async () => {
  // Transactions do not commit in the order of their numbers.
  const heard = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.array(fc.nat(8), { maxLength: 8 })).map(([forgotten, swaps]) => {
    const numbers = Array.from({ length: KEPT + forgotten }, (_, at) => FIRST + at);
    for (const at of swaps) numbers.splice(at, 2, ...numbers.slice(at, at + 2).reverse());
    return numbers;
  });
  await fc.assert(
    fc.asyncProperty(heard, async (numbers) => {
      const recent = new RecentChanges();
      const end = FIRST + numbers.length;
      await recent.listMissed(databaseAt(`${MARK}-${FIRST}:${FIRST}:`), `${MARK}-${FIRST}:${FIRST}:`);
      for (const number of numbers) recent.note(changeBy(number));
      const lastForgotten = Math.max(FIRST - 1, ...numbers.slice(0, -KEPT));
      for (let begin = FIRST - 2; begin < FIRST + 14; begin += 1)
        for (const rendered of [`${MARK}-${begin}:${begin}:`, `${MARK}-${begin}:${end}:${begin}`]) {
          const missed = await recent.listMissed(databaseAt(`${MARK}-${end}:${end}:`), rendered);
          const isShown = (number: number) => number < begin || (rendered.includes(`:${end}:`) && number > begin);
          const expected = begin <= lastForgotten ? null : numbers.slice(-KEPT).filter((number) => !isShown(number));
          assert.deepEqual(missed?.map(({ transaction }) => Number(transaction)) ?? null, expected, rendered);
        }
    }),
    { numRuns: 30 },
  );
});

test('[LIVE-5] a page from another database, from before the connection, or without a known moment gets no list', async () => {
  const recent = new RecentChanges();
  const database = databaseAt(`${MARK}-${FIRST}:${FIRST}:`);
  assert.deepEqual(await recent.listMissed(database, `${MARK}-${FIRST}:${FIRST}:`), []);
  recent.note(changeBy(FIRST));
  for (const rendered of [`00000000-${FIRST}:${FIRST}:`, `${MARK}-${FIRST - 1}:${FIRST}:`, 'nonsense'])
    assert.equal(await recent.listMissed(database, rendered), null, rendered);
  assert.deepEqual(await recent.listMissed(database, undefined), []);
});
