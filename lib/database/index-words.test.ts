import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../sql.ts';
import { indexWords, type SearchedTable } from './index-words.ts';

/** Tables with this many rows to index each, in a database that reads and stores them. */
function tablesOf(...counts: number[]) {
  const left = [...counts];
  const stored: string[] = [];
  const transactions: number[] = [];
  const tables = counts.map(
    (_, table): SearchedTable => ({
      read: (limit) => sql`read ${table} ${limit}`,
      store: (rows) => sql`store ${table} ${rows}`,
    }),
  );
  const query = async ({ text, values: [table = 0, given = ''] }: { text: string; values: [number?, (string | number)?] }) => {
    if (text.startsWith('store')) stored.push(...JSON.parse(String(given)).map((row: object) => JSON.stringify(row)));
    if (!text.startsWith('read')) return { rows: [] };
    const count = Math.min(left[table] ?? 0, Number(given));
    left[table] = (left[table] ?? 0) - count;
    transactions[table] = (transactions[table] ?? 0) + 1;
    // Tens of thousands of rows have no words, because only their number matters.
    const words = (counts[table] ?? 0) > 1000 ? '' : 'A word';
    return { rows: Array.from({ length: count }, (_, id) => ({ id, text: words })) };
  };
  const db = { query, transaction: (work: (tx: never) => Promise<unknown>) => work({ query, isTransaction: true } as never) };
  return { db: db as never, tables, left, stored, transactions };
}

test('[API-13] the words of all rows of all tables are rewritten, a few hundred in one transaction', async () => {
  for (const [counts, transactions] of [
    [[0], [1]],
    [
      [1, 0, 299],
      [1, 1, 1],
    ],
    [
      [300, 301, 600],
      [2, 2, 3],
    ],
  ] as const) {
    const one = tablesOf(...counts);
    assert.equal(await indexWords(one.db, one.tables), false);
    assert.deepEqual(
      one.left,
      counts.map(() => 0),
    );
    assert.deepEqual(one.transactions, transactions);
    assert.equal(
      one.stored.length,
      counts.reduce<number>((sum, count) => sum + count, 0),
    );
    if (one.stored[0] !== undefined) assert.equal(one.stored[0], JSON.stringify({ id: 0, search: "'a':1 'word':2" }));
  }
});

test('[API-13] a job ends after 200 steps of each table, goes on with the others, and says that more are left', async () => {
  for (const [counts, isMore] of [
    [[5, 200 * 300 - 1], false],
    [[200 * 300 + 1, 5], true],
  ] as const) {
    const one = tablesOf(...counts);
    assert.equal(await indexWords(one.db, one.tables), isMore);
    assert.deepEqual(
      one.left,
      counts.map((count) => Math.max(0, count - 200 * 300)),
    );
  }
});

test('[API-6, API-12] a name has its weight, and an amount is a word of its own, also an amount of nothing', async () => {
  const rows = [
    { id: 1, text: 'x', name: 'Ann' },
    { id: 2, text: 'x', amount_cents: 1250 },
    { id: 3, text: 'x', amount_cents: 0 },
    { id: 4, text: '' },
  ];
  let stored = '';
  const query = async ({ values }: { values: string[] }) => {
    stored ||= values[0] ?? '';
    return { rows: rows.splice(0) };
  };
  const db = { transaction: (work: (tx: unknown) => Promise<unknown>) => work({ query }) } as never;
  await indexWords(db, [{ read: () => sql`read`, store: (words) => sql`store ${words}` }]);
  assert.deepEqual(JSON.parse(stored), [
    { id: 1, search: "'ann':1A 'x':2" },
    { id: 2, search: "'x':1 '$1250':2" },
    { id: 3, search: "'x':1 '$0':2" },
    { id: 4, search: '' },
  ]);
});
