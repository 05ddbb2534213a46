import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { createReplicaReads } from './replica-reads.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('[SCALE-5] each change between the replica and the primary is logged once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const write = (_entry: unknown, message?: string) => void lines.push(message ?? String(_entry));
  let isAway = false;
  const position = { lsn: '0/1', history: '1/1/cases', isStandby: true, passed: 1 };
  const poolOf = (answer: () => object) => ({ query: async () => ({ rows: [answer()] }) }) as unknown as pg.Pool;
  const replica = poolOf(() => {
    if (isAway) throw new Error('away');
    return position;
  });
  const reads = createReplicaReads({
    primary: poolOf(() => position),
    replica,
    log: { info: write, warn: write } as never,
    lagMaxMs: 600_000,
    checkEveryMs: 1,
  });
  t.after(() => reads.stop());
  for (const state of ['used', 'used', 'away', 'away', 'used', 'away', 'used', 'used', 'away']) {
    isAway = state === 'away';
    t.mock.timers.tick(1);
    await settle();
  }
  const outage = 'the replica is not used: the primary answers';
  const use = 'the replica is used';
  assert.deepEqual(lines, [use, outage, use, outage, use, outage]);
});
