import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { Executor } from '@case-platform/lib/database';
import { createMetrics } from '@case-platform/lib/metrics/metrics';
import { addLiveGauges } from './add-live-gauges.ts';
import { LagProbe } from './lag-probe.ts';
import type { LiveUpdates } from './live-updates.ts';

/** A probe on a clock of its own, and the ids that it has announced. */
function startProbe(t: TestContext) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The module has its own name for the pause.
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  const announced: string[] = [];
  const state = { isAway: false };
  const db: Executor = {
    async query({ values }) {
      if (state.isAway) throw new Error('away');
      announced.push(JSON.parse(String(values[0])).probe);
      return { rows: [] };
    },
  };
  const pass = async (ms: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    for (let at = 0; at < ms; at += 10) {
      now += 10;
      t.mock.timers.tick(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { probe: new LagProbe(db), announced, state, pass };
}

test('[METRIC-1] the delay of live updates is measured in seconds, to this process and from it to all streams', async (t) => {
  const { probe, announced, pass } = startProbe(t);
  for (const turn of [0, 1]) {
    const measuring = probe.measure();
    await pass(250);
    const delivered = Promise.withResolvers<void>();
    const hearing = probe.hear(announced[turn] ?? '', () => delivered.promise);
    await pass(500);
    delivered.resolve();
    await hearing;
    await pass(20);
    assert.deepEqual(await measuring, { heard: 0.25, delivered: 0.5 });
  }
  assert.equal(new Set(announced).size, 2, 'each time with a probe of its own');
});

test('[METRIC-1] while nothing arrives the delay grows, also when the database is away, and other probes do not count', async (t) => {
  const { probe, announced, state, pass } = startProbe(t);
  const measure = async () => {
    const measuring = probe.measure();
    await pass(1000);
    return measuring;
  };
  assert.deepEqual(await measure(), { heard: 1, delivered: 0 });
  await probe.hear('of another process', async () => {});
  state.isAway = true;
  assert.deepEqual(await measure(), { heard: 2, delivered: 0 });
  state.isAway = false;
  const [id = ''] = announced;
  const last = probe.measure();
  assert.deepEqual(new Set(announced), new Set([id]), 'the same probe is repeated');
  const stuck = Promise.withResolvers<void>();
  const hearing = probe.hear(id, () => stuck.promise);
  await pass(1000);
  assert.deepEqual(await last, { heard: 2, delivered: 1 });
  stuck.resolve();
  await hearing;
});

test('[METRIC-1] the open streams and the two delays are shown, each under its own name', async () => {
  const live = { connections: 3, measureLag: async () => ({ heard: 0.25, delivered: 0.5 }) } as unknown as LiveUpdates;
  const metrics = createMetrics();
  addLiveGauges(metrics, live);
  const lines = (await metrics.text()).split('\n').filter((line) => /^(live|event)_/.test(line));
  assert.deepEqual(lines, ['live_connections 3', 'event_publisher_lag_seconds 0.25', 'live_lag_seconds 0.5']);
});
