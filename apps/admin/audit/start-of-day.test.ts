import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOfDay } from './start-of-day.ts';

const DAYS = [
  ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21', 'America/Los_Angeles', '2026-11-21T08:00:00.000Z'],
  ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-06-01', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z'],
] as const;

for (const [day, zone, moment] of DAYS) {
  test(`${day} begins in ${zone} at ${moment}`, () => assert.equal(startOfDay(day, zone)?.toISOString(), moment));
}

test('a day that is in no calendar has no beginning', () => {
  for (const day of ['2026-02-30', '2026-13-01', '0000-00-00', 'yesterday']) {
    assert.equal(startOfDay(day, 'UTC'), undefined);
  }
});
