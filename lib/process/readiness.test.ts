import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseIsReady, untilPassed } from '../database/readiness-checks.ts';
import { UnavailableError } from '../errors.ts';
import { createReadiness, NotPreparedError, unavailableBody } from './readiness.ts';

const CHECKS = {
  ok: async () => {},
  away: () => Promise.reject(new Error('away')),
  unprepared: () => Promise.reject(new NotPreparedError('run the migrations')),
  hangs: () => new Promise(() => {}),
};
type State = keyof typeof CHECKS;

for (const [states, message, body] of [
  [['away', 'unprepared'], 'run the migrations', { status: 'unavailable', reason: 'run the migrations' }],
  [['unprepared', 'away'], 'run the migrations', { status: 'unavailable', reason: 'run the migrations' }],
  [['ok', 'away'], 'away', { status: 'unavailable' }],
  [['hangs', 'ok'], 'a check took too long', { status: 'unavailable' }],
] as const)
  test(`[HEALTH-1] with checks that are ${states.join(' and ')}, the answer is "${message}"`, async () => {
    const checks = states.map((state) => CHECKS[state]);
    const error = await createReadiness(checks, { warn() {} }, { withinMs: 10 })().catch((reason) => reason);
    assert.deepEqual([error.message, unavailableBody(error)], [message, body]);
  });

for (const [isQuietAtStart, states, expected] of [
  [false, ['away', 'away', 'ok', 'ok', 'unprepared', 'ok'], ['not ready', 'ready again', 'not ready', 'ready again']],
  [true, ['away', 'away', 'ok', 'away', 'ok'], ['not ready', 'ready again']],
  [true, ['away', 'unprepared', 'away', 'ok'], ['not ready', 'ready again']],
] as const)
  test(`[HEALTH-1] ${states.join(', ')}: a change is logged once${isQuietAtStart ? ', except before the first success' : ''}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const logged: string[] = [];
    let state: State = 'ok';
    let checks = 0;
    const check = () => {
      checks += 1;
      return CHECKS[state]();
    };
    const log = { warn: (_entry: unknown, message?: string) => void logged.push(message ?? '') };
    const isReady = createReadiness([check], log, { isQuietAtStart });
    for (state of states) {
      await Promise.allSettled([isReady(), isReady()]);
      t.mock.timers.tick(1000);
    }
    assert.deepEqual([logged, checks], [expected, states.length], 'an answer counts for a second');
  });

test('[HEALTH-1] every check counts, however many there are, and none of them keeps a process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  for (const count of [1, 2, 3, 4, 6]) {
    for (let away = 0; away < count; away += 1) {
      const checks = Array.from({ length: count }, (_, at) => CHECKS[at === away ? 'away' : 'ok']);
      await assert.rejects(createReadiness(checks, { warn() {} })(), /away/, `${away + 1} of ${count}`);
    }
  }
  await createReadiness([], { warn() {} })();
  const before = timers();
  await createReadiness([CHECKS.ok], { warn() {} })();
  assert.equal(timers(), before);
});

test('[HEALTH-1] a database is ready if it can be written and commits, each within its time', async () => {
  for (const [writable, asked] of [
    [true, ['select', 'commit']],
    [false, ['select']],
  ] as const) {
    const asking: string[] = [];
    const pool = {
      query: async ({ text, query_timeout }: { text: string; query_timeout: number }) => {
        assert.equal(query_timeout, 70);
        asking.push(text.includes('pg_logical_emit_message(true,') ? 'commit' : 'select');
        return { rows: [{ writable }] };
      },
    };
    const check = databaseIsReady(pool as never, { withinMs: 70 });
    if (writable) await check();
    else await assert.rejects(check(), { code: '25006' });
    assert.deepEqual(asking, asked);
  }
  const away = databaseIsReady({ query: () => Promise.reject(new Error('away')) } as never);
  await assert.rejects(away(), /away/);
});

test('[HEALTH-2] calls wait for a prepared database until it was prepared once, and other failures are passed on', async () => {
  let state: State = 'unprepared';
  let checks = 0;
  const pass = untilPassed(() => {
    checks += 1;
    return CHECKS[state]();
  });
  for (const _call of [1, 2]) {
    const error = await pass().catch((reason) => reason);
    assert.ok(error instanceof UnavailableError && error.cause instanceof NotPreparedError);
  }
  state = 'away';
  await assert.rejects(pass(), (error) => !(error instanceof UnavailableError));
  state = 'ok';
  await pass();
  state = 'away';
  await pass();
  assert.equal(checks, 4, 'nothing is checked after the first success');
});
