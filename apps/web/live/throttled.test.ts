import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { markPagesStale, reportCaseChange, takeStalePages, watchCases } from './case-changes.ts';
import { throttled } from './throttled.ts';

test('[LIVE-5] an action runs at once, and then once at the end of each interval in which it was requested', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const { run, cancel } = throttled(() => runs++, 100);
  const after = (ms: number) => {
    mock.timers.tick(ms);
    return runs;
  };
  run();
  run();
  run();
  assert.equal(runs, 1);
  assert.deepEqual([after(99), after(1), after(100), after(100)], [1, 2, 2, 2]);
  run();
  assert.equal(runs, 3);
  assert.equal(cancel(), false);
  run();
  run();
  assert.equal(runs, 4, 'the interval has ended');
  assert.equal(cancel(), true);
  assert.deepEqual([cancel(), after(200)], [false, 4]);
  mock.timers.reset();
});

test('[LIVE-5] pages are stale, once, after a change that the shown page is not refreshed for', () => {
  const seen: (number | null)[] = [];
  const stop = watchCases((id) => seen.push(id) > 0 && id === 1);
  reportCaseChange(1);
  assert.equal(takeStalePages(), false);
  reportCaseChange(2);
  assert.deepEqual([takeStalePages(), takeStalePages()], [true, false]);
  const stopOther = watchCases((id) => id === 2);
  reportCaseChange(2);
  assert.equal(takeStalePages(), false, 'one of two refreshes');
  stop();
  stopOther();
  reportCaseChange(1);
  assert.deepEqual([seen, takeStalePages()], [[1, 2, 2], true]);
  markPagesStale();
  assert.equal(takeStalePages(), true);
});
