import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedReading } from './shared-reading.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('[METRIC-1] metrics of one scrape share a reading for a second, whether it succeeded or failed, and the next one reads again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let readings = 0;
  const outcomes = ['value', 'error', 'value', 'error', 'error'];
  const read = createSharedReading(async () => {
    const outcome = `${outcomes[readings]} ${readings}`;
    readings += 1;
    if (outcome.startsWith('error')) throw new Error(outcome);
    return outcome;
  });
  const look = () => read().catch(({ message }: Error) => message);
  for (const [turn, outcome] of outcomes.entries()) {
    const expected = `${outcome} ${turn}`;
    assert.deepEqual(await Promise.all([look(), look()]), [expected, expected]);
    await settle();
    t.mock.timers.tick(999);
    assert.equal(await look(), expected, 'a second is not over');
    t.mock.timers.tick(1);
  }
  assert.equal(readings, outcomes.length);
});

test('[METRIC-1] a reading that takes long is shared until a second after its end, and keeps no process alive', async (t) => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = countTimers();
  await createSharedReading(async () => 1)();
  await settle();
  assert.equal(countTimers(), before);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let readings = 0;
  const slow = Promise.withResolvers<number>();
  const read = createSharedReading(() => {
    readings += 1;
    return slow.promise;
  });
  const first = read();
  t.mock.timers.tick(60_000);
  const second = read();
  slow.resolve(7);
  assert.deepEqual([await first, await second, readings], [7, 7, 1]);
});
