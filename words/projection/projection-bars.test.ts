import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectionBars } from './projection-bars.ts';

const months = (...cents: number[]) =>
  projectionBars(cents.map((available_cents, at) => ({ month: `2026-0${at + 1}`, available_cents })));

test('[PROJECTION-1] bars grow from zero, up for what is left and down for what is missing, each in its month', () => {
  const { width, height, zero, bars } = months(300, 0, -100, 1);
  assert.deepEqual([width, height, zero], [192, 120, 90]);
  assert.deepEqual(
    bars.map(({ month, x, y, width: wide, height: high, isShort }) => [month, x, y, wide, high, isShort]),
    [
      ['2026-01', 7, 0, 34, 90, false],
      ['2026-02', 55, 90, 34, 0, false],
      ['2026-03', 103, 90, 34, 30, true],
      // A small amount stays visible.
      ['2026-04', 151, 88, 34, 2, false],
    ],
  );
  assert.equal(months(-5).zero, 0);
  assert.equal(months(5).zero, 120);
  assert.deepEqual(months(), { width: 0, height: 120, zero: 0, bars: [] });
});
