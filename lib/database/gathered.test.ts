import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from './gathered.ts';

function gather() {
  const written: string[][] = [];
  const rows = new Gathered<{ name: string }, string>({
    withinMs: 1,
    async write({ name }, some) {
      written.push([name, ...some]);
      if (some.includes('bad')) throw new Error('this cannot be written');
      if (some.includes('away')) throw Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
    },
  });
  return { written, rows };
}
const A = { name: 'A' };
const B = { name: 'B' };

test('[SCALE-4] rows that are added within the time are written together, in their order, and apart for each context', async () => {
  const { written, rows } = gather();
  await Promise.all([rows.add(A, '1'), rows.add(B, '2'), rows.add(A, '3')]);
  assert.deepEqual(written, [
    ['A', '1', '3'],
    ['B', '2'],
  ]);
  await rows.add(A, '4');
  assert.deepEqual(written.slice(2), [['A', '4']]);
});

test('[SCALE-4] a row that cannot be written fails alone, once', async () => {
  const { written, rows } = gather();
  const results = await Promise.allSettled([rows.add(A, '1'), rows.add(A, 'bad'), rows.add(A, '2')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(written, [
    ['A', '1', 'bad', '2'],
    ['A', '1'],
    ['A', 'bad'],
    ['A', '2'],
  ]);
  await assert.rejects(rows.add(A, 'bad'), /cannot be written/);
  assert.equal(written.length, 5);
});

test('[DATABASE-4] while the database is away, rows fail together, because each would wait as long', async () => {
  const { written, rows } = gather();
  const results = await Promise.allSettled([rows.add(A, '1'), rows.add(A, 'away')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(written, [['A', '1', 'away']]);
});
