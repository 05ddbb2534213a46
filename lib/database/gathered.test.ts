import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

test('[SCALE-4] a row that is added during a write is written afterward, and each row succeeds once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const step = fc.record({
    does: fc.constantFrom('add', 'let time pass', 'end the first write', 'end the last write'),
    context: fc.constantFrom(A, B),
    failure: fc.constantFrom(null, null, 'this cannot be written', 'ECONNREFUSED'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      /** The writes under way, and the rows of those that succeeded and failed. */
      const writes: { end(failure: string | null): void }[] = [];
      const [succeeded, failed, mistakes] = [[] as string[], [] as string[], [] as string[]];
      const rows = new Gathered<{ name: string }, string>({
        withinMs: 1,
        write: ({ name }, some) =>
          new Promise((resolve, reject) => {
            const end = (failure: string | null) => {
              (failure === null ? succeeded : failed).push(...some);
              if (failure === null) resolve();
              else reject(Object.assign(new Error(failure), { code: failure }));
            };
            if (some.length === 0 || !some.every((row) => row.startsWith(name))) mistakes.push(`${name}: ${some}`);
            writes.push({ end });
          }),
      });
      const waiting = new Set<string>();
      let added = 0;
      const add = (context: typeof A) => {
        const row = `${context.name}${added++}`;
        waiting.add(row);
        const check = (outcome: string, isRight: boolean) => {
          waiting.delete(row);
          if (!isRight) mistakes.push(`${row} is reported as ${outcome}`);
        };
        void rows.add(context, row).then(
          () => check('written', succeeded.includes(row)),
          () => check('failed', failed.includes(row) && !succeeded.includes(row)),
        );
      };
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      for (const { does, context, failure } of steps) {
        if (does === 'add') add(context);
        else if (does === 'let time pass') t.mock.timers.tick(1);
        else writes.splice(does === 'end the first write' ? 0 : -1, 1)[0]?.end(failure);
        await settle();
      }
      for (let round = 0; waiting.size > 0 && round <= 4 * steps.length; round++) {
        t.mock.timers.tick(1);
        for (const { end } of writes.splice(0)) end(null);
        await settle();
      }
      assert.deepEqual([mistakes, [...waiting]], [[], []], 'wrong answers, and rows that were never written');
      assert.equal(new Set(succeeded).size, succeeded.length, 'a row was written twice');
    }),
    { numRuns: 200 },
  );
});
