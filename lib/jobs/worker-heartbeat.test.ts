import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Executor } from '../sql.ts';
import { startHeartbeat } from './worker-heartbeat.ts';

test('[NOTIFY-12, DATABASE-4] after each outage every worker gets its whole time again before its jobs are released', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const statements: string[] = [];
  const state = { isAway: false };
  const pool: Executor = {
    async query({ text }) {
      if (state.isAway) throw new Error('away');
      const [, kind] = /(insert|force_unlock_workers|interval '1 day'|any\()/.exec(text) ?? [];
      statements.push(kind ?? text);
      return { rows: [] };
    },
  };
  const errors: unknown[] = [];
  const heartbeat = startHeartbeat({ pool, workerIds: () => ['here'], onError: (error) => errors.push(error) });
  const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 2) {
      now += 2000;
      t.mock.timers.tick(2000);
      await settle();
    }
  };
  const released = () => statements.filter((kind) => kind === 'force_unlock_workers').length;
  await settle();
  assert.deepEqual(statements, [`interval '1 day'`, 'insert'], 'it begins at once');
  for (const outage of [1, 2]) {
    const before = released();
    await pass(8);
    assert.equal(released(), before, 'not yet');
    await pass(4);
    assert.equal(released(), before + 2);
    state.isAway = true;
    await pass(2 * outage);
    assert.equal(errors.length, outage === 1 ? 1 : 3, 'each beat that fails is reported');
    state.isAway = false;
    await pass(2);
  }
  assert.equal(statements.filter((kind) => kind === 'insert').length, 1 + 2 * (6 + 1));
  const stopping = heartbeat.stop();
  await settle();
  await stopping;
  const count = statements.length;
  assert.equal(statements.at(-1), 'any(', 'its own record is removed last');
  await pass(60);
  assert.equal(statements.length, count);
});

test('[PROCESS-2] a heartbeat that is under way is over before the record is removed', async () => {
  const statements: string[] = [];
  const beat = Promise.withResolvers<void>();
  const pool: Executor = {
    async query({ text }) {
      const isBeat = text.includes('insert');
      if (isBeat) await beat.promise;
      statements.push(isBeat ? 'beat' : 'delete');
      return { rows: [] };
    },
  };
  const heartbeat = startHeartbeat({ pool, workerIds: () => ['here'], onError: (error) => assert.fail(String(error)) });
  await new Promise((resolve) => setImmediate(resolve));
  const stopping = heartbeat.stop();
  await new Promise((resolve) => setImmediate(resolve));
  beat.resolve();
  await stopping;
  assert.deepEqual(statements, ['delete', 'beat', 'delete']);
});
