import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RETENTION, RETENTION, type RetentionKind } from '@case-platform/lib/config/read-retention';
import type { Database } from '@case-platform/lib/database';
import { indexWords } from './index-words.ts';
import { OLD_ROWS, removeOldRows } from './remove-old-rows.ts';

const NOW = new Date('2026-11-26T03:41:00Z');
/** Rows of one step; a shorter step is the last one of its table. */
const WHOLE_STEP = 300;

/** A database whose steps read this many rows, and a record of what was read and queued. */
function databaseOf(rowsOf: (text: string) => number) {
  const read: { text: string; values: unknown[] }[] = [];
  const queued: string[] = [];
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    if (/queue_jobs|add_job/.test(text)) queued.push(JSON.stringify(values));
    else if (!/(create|drop)_months/.test(text)) read.push({ text, values });
    const isQueue = /queue_jobs|add_job/.test(text);
    return { rows: Array.from({ length: isQueue ? 0 : rowsOf(text) }, (_, at) => ({ at: '2026-01-01', id: at + 1, text: '' })) };
  };
  const db = { query, transaction: (work: (tx: unknown) => unknown) => work({ query }) } as unknown as Database;
  return { db, read, queued };
}

test('[RETAIN-1] every table gives up its old rows in each run, also when one of them has more, which another job removes', async () => {
  const tables = OLD_ROWS.map(({ table }) => table);
  for (const full of [null, tables[0], tables[3], tables.at(-1)]) {
    const { db, read, queued } = databaseOf((text) => (full !== null && text.includes(String(full)) ? WHOLE_STEP : 0));
    await removeOldRows(db, DEFAULT_RETENTION, NOW);
    for (const table of tables)
      assert.ok(
        read.some(({ text }) => text.includes(table)),
        `${table}, with more in ${full}`,
      );
    assert.equal(queued.length, full === null ? 0 : 1);
    for (const job of queued) assert.match(job, /remove_old_rows.*remove_old_rows/, 'one job at a time');
  }
});

test('[RETAIN-1] each table has its own number of days, which changes no other', async () => {
  /** The moment of each table before which its rows are old, in days before now. */
  const daysOf = async (retention: typeof DEFAULT_RETENTION) => {
    const { db, read } = databaseOf(() => 0);
    await removeOldRows(db, retention, NOW);
    assert.equal(read.length, OLD_ROWS.length, 'one step of each table');
    return read.map(({ values }) => {
      // Some tables keep a moment as a number.
      const [before = Number.NaN] = values.map(Number).filter((value) => value > 1e12);
      return (NOW.getTime() - before) / 86_400_000;
    });
  };
  const usual = await daysOf(DEFAULT_RETENTION);
  // Tables with months count from the first day of one.
  const monthStart = (days: number) => {
    const moment = new Date(NOW.getTime() - days * 86_400_000);
    return (NOW.getTime() - Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth())) / 86_400_000;
  };
  for (const kind of Object.keys(RETENTION) as RetentionKind[]) {
    const { most } = RETENTION[kind];
    const longer = most - DEFAULT_RETENTION[kind];
    const expected = usual.map((days, at) => {
      const { retention, hasMonths } = OLD_ROWS[at] ?? {};
      if (retention !== kind) return days;
      return hasMonths ? monthStart(most) : days + longer;
    });
    assert.deepEqual(await daysOf({ ...DEFAULT_RETENTION, [kind]: most }), expected, kind);
  }
});

test('[API-13] a job that leaves texts to rewrite is followed by another one, and the last job is not', async () => {
  for (const [rows, jobs] of [
    [0, 0],
    [1, 0],
    [WHOLE_STEP, 1],
  ] as const) {
    // Cases, because they are neither the first nor the last table.
    const { db, queued } = databaseOf((text) => (/^\s*select.*from case_file/s.test(text) ? rows : 0));
    await indexWords(db);
    assert.equal(queued.length, jobs, `${rows} rows`);
  }
});
