import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { Log } from '@case-platform/lib/log';
import type { Runner } from 'graphile-worker';
import { keepRunning, type RunnerSignals } from './keep-running.ts';

const AWAY = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** Runners that are started one after the other, on a clock of their own. */
function makeRunners(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The module has its own name for the pause.
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  const state = { error: null as Error | null, attempts: 0 };
  const runners: { signals: RunnerSignals; end: (error?: Error) => void; isStopped: boolean; finishJob: () => void }[] = [];
  const warnings: unknown[] = [];
  const log = { warn: (_entry: unknown, message: string) => warnings.push(message) } as unknown as Log;
  const start = async (signals: RunnerSignals) => {
    state.attempts += 1;
    if (state.error !== null) throw state.error;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = { worker: { workerId: `worker ${runners.length + 1}` } } as never;
    const runner = {
      signals,
      isStopped: false,
      end: (error?: Error) => (error === undefined ? resolve() : reject(error)),
      finishJob: () => void signals.events.emit('worker:stop', worker),
    };
    runners.push(runner);
    signals.events.emit('pool:create', { workerPool: { id: `worker ${runners.length}` } } as never);
    signals.events.emit('worker:create', worker);
    const stop = async () => {
      runner.isStopped = true;
    };
    return { stop, promise } as unknown as Runner;
  };
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number) => {
    await settle();
    t.mock.timers.tick(ms);
    await settle();
  };
  return { state, runners, warnings, start, pass, keep: () => keepRunning(log, start) };
}

test('[DATABASE-4] a worker that finds no database at its start tries again, ever less often, and another error ends it', async (t) => {
  const { state, keep, pass, warnings } = makeRunners(t);
  state.error = new Error('a wrong setting');
  await assert.rejects(keep(), state.error);
  state.error = AWAY;
  state.attempts = 0;
  const starting = keep();
  const waits = [500, 1000, 2000, 4000, 8000, 15_000, 15_000];
  for (const [at, wait] of waits.entries()) {
    if (at === waits.length - 1) state.error = null;
    await pass(wait - 1);
    assert.equal(state.attempts, at + 1, `not within ${wait} ms`);
    await pass(1);
    assert.equal(state.attempts, at + 2);
  }
  const worker = await starting;
  assert.deepEqual([worker.takesJobs(), warnings.length], [true, waits.length]);
  const stopping = worker.stop();
  await pass(0);
  assert.equal(worker.takesJobs(), false);
  await pass(60_000);
  void stopping;
});

test('[DATABASE-4] each runner that loses the queue is replaced soon, and its workers count until their last job has ended', async (t) => {
  const { state, runners, keep, pass } = makeRunners(t);
  const worker = await keep();
  for (const [turn, lose] of [
    () => runners.at(-1)?.signals.onLost(),
    () => runners.at(-1)?.end(new Error('it lost its connection')),
    () => runners.at(-1)?.end(),
  ].entries()) {
    const name = `worker ${turn + 1}`;
    assert.deepEqual([worker.takesJobs(), worker.workerIds().at(0)], [true, name]);
    lose();
    await pass(0);
    assert.deepEqual([worker.takesJobs(), runners[turn]?.isStopped], [false, true]);
    if (turn === 0) assert.deepEqual(worker.workerIds(), [name], 'it still finishes its job');
    await pass(499);
    assert.equal(runners.length, turn + 1);
    await pass(1);
    assert.deepEqual([worker.takesJobs(), runners.length], [true, turn + 2]);
    runners[turn]?.end();
    await pass(0);
    assert.deepEqual(worker.workerIds(), [`worker ${turn + 2}`]);
  }
  assert.equal(state.attempts, 4);
});

test('[DATABASE-4, PROCESS-2] a runner that never ends, because a report failed, is waited for until five seconds after its last job', async (t) => {
  const { runners, keep, pass } = makeRunners(t);
  const worker = await keep();
  let isStopped = false;
  const stopping = worker.stop().then(() => (isStopped = true));
  runners[0]?.signals.onLost();
  await pass(60_000);
  assert.deepEqual([isStopped, worker.workerIds()], [false, ['worker 1']], 'its job is not over');
  runners[0]?.finishJob();
  await pass(4999);
  assert.equal(isStopped, false);
  await pass(1);
  assert.deepEqual([isStopped, worker.workerIds(), runners.length], [true, [], 1]);
  await stopping;
});

test('[PROCESS-2] a worker that is told to end while it waits for the database starts nothing more', async (t) => {
  const { state, runners, keep, pass } = makeRunners(t);
  const worker = await keep();
  state.error = AWAY;
  runners[0]?.end();
  await pass(500);
  assert.equal(state.attempts, 2);
  state.error = null;
  const stopping = worker.stop();
  await pass(60_000);
  await stopping;
  assert.deepEqual([state.attempts, runners.length, worker.takesJobs()], [2, 1, false]);
});
