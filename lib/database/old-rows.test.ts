import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Executor, sql } from '../sql.ts';
import { type OldRows, removeOldRowsOf } from './old-rows.ts';

type Step = Parameters<OldRows['step']>[0];

/** A table of this many old rows, and the steps that read it. */
function tableOf(count: number) {
  const steps: Step[] = [];
  const rows: OldRows = {
    table: 'example',
    retention: 'reports',
    step(step) {
      steps.push(step);
      return sql`select`;
    },
  };
  let left = count;
  const db: Executor = {
    async query() {
      const read = Math.min(left, steps.at(-1)?.limit ?? 0);
      left -= read;
      return {
        rows: Array.from({ length: read }, (_, at) => ({ at: `time ${count - left - read + at}`, id: count - left - read + at })),
      };
    },
  };
  return { steps, rows, db, left: () => left };
}

const NOW = new Date('2026-03-29T12:00:00Z');

test('[RETAIN-1] old rows are read a few hundred at a time, each step after the last row of the one before it', async () => {
  for (const [count, steps] of [
    [0, 1],
    [1, 1],
    [299, 1],
    [300, 2],
    [301, 2],
    [900, 4],
  ] as const) {
    const table = tableOf(count);
    assert.equal(await removeOldRowsOf(table.db, table.rows, 7, NOW), false, `${count} rows`);
    assert.deepEqual([table.steps.length, table.left()], [steps, 0]);
    const ends = table.steps.slice(1).map((_, at) => ({ at: `time ${300 * (at + 1) - 1}`, id: 300 * (at + 1) - 1 }));
    assert.deepEqual(
      table.steps.map(({ after }) => after),
      [{ at: '-infinity', id: 0 }, ...ends],
    );
  }
});

test('[RETAIN-1] a day has 24 hours, also when clocks change, and a row is old after all of its days', async () => {
  for (const [days, before] of [
    [1, '2026-03-28T12:00:00.000Z'],
    [30, '2026-02-27T12:00:00.000Z'],
    [400, '2025-02-22T12:00:00.000Z'],
  ] as const) {
    const table = tableOf(300);
    await removeOldRowsOf(table.db, table.rows, days, NOW);
    assert.deepEqual([...new Set(table.steps.map((step) => step.before.toISOString()))], [before]);
  }
});

test('[RETAIN-2] a month is dropped once all of it is older than the days, and what is left of it is deleted', async () => {
  for (const [days, month] of [
    [27, '2026-03-01T00:00:00.000Z'],
    [29, '2026-02-01T00:00:00.000Z'],
    [400, '2025-02-01T00:00:00.000Z'],
  ] as const) {
    const table = tableOf(1);
    const dropped: unknown[] = [];
    const db: Executor = {
      async query(statement) {
        if (!statement.text.includes('drop_months')) return table.db.query(statement);
        dropped.push(...(statement.values ?? []));
        return { rows: [] };
      },
    };
    await removeOldRowsOf(db, { ...table.rows, hasMonths: true }, days, NOW);
    assert.deepEqual(dropped, ['example', new Date(month)]);
    assert.deepEqual(
      table.steps.map(({ before }) => before.toISOString()),
      [month],
    );
  }
});

test('[RETAIN-1] a job ends after 200 steps, and says that more may be left', async () => {
  for (const [count, left] of [
    [200 * 300 - 1, false],
    [200 * 300, true],
    [1_000_000, true],
  ] as const) {
    const table = tableOf(count);
    assert.equal(await removeOldRowsOf(table.db, table.rows, 1, NOW), left, `${count} rows`);
    assert.equal(table.steps.length, 200);
  }
});
