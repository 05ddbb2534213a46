import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canStillSettle, effectiveDate, isBankDay } from './effective-date.ts';

const at = (moment: string) => new Date(moment);

test('[NACHA-3] a file names the banking day after the one it is worked on, and a same-day file that day itself', () => {
  const made: [moment: string, next: string, same: string][] = [
    // A Friday, one second before the cutoff in New York and at the cutoff.
    ['2026-11-20T13:59:59-05:00', '2026-11-23', '2026-11-20'],
    ['2026-11-20T14:00:00-05:00', '2026-11-24', '2026-11-23'],
    // Summer time, before Independence Day, which falls on a Saturday, so that the Friday is a banking day.
    ['2026-07-02T13:59:59-04:00', '2026-07-03', '2026-07-02'],
    ['2026-07-03T14:00:00-04:00', '2026-07-07', '2026-07-06'],
    // Thanksgiving, the day before it, and a Saturday.
    ['2026-11-25T13:59:59-05:00', '2026-11-27', '2026-11-25'],
    ['2026-11-26T09:00:00-05:00', '2026-11-30', '2026-11-27'],
    ['2026-11-28T09:00:00-05:00', '2026-12-01', '2026-11-30'],
    // New Year's Eve, and the days on which clocks change.
    ['2026-12-31T14:00:00-05:00', '2027-01-05', '2027-01-04'],
    ['2026-03-08T12:00:00-04:00', '2026-03-10', '2026-03-09'],
    ['2026-11-01T12:00:00-05:00', '2026-11-03', '2026-11-02'],
    // A leap day.
    ['2028-02-28T13:59:59-05:00', '2028-02-29', '2028-02-28'],
  ];
  for (const [moment, next, same] of made) {
    assert.equal(effectiveDate(at(moment), false), next, moment);
    assert.equal(effectiveDate(at(moment), true), same, `${moment}, same day`);
  }
});

test('[NACHA-3] the day of a file begins at midnight in New York, for sending and for settling', () => {
  const day = '2026-11-24';
  const moments = [
    ['2026-11-23T23:59:59-05:00', false, true, true],
    ['2026-11-24T00:00:00-05:00', true, false, true],
    ['2026-11-24T23:59:59-05:00', true, false, true],
    ['2026-11-25T00:00:00-05:00', true, false, false],
  ] as const;
  for (const [moment, isDay, next, same] of moments) {
    assert.equal(isBankDay(day, at(moment)), isDay, moment);
    assert.equal(canStillSettle(day, false, at(moment)), next, moment);
    assert.equal(canStillSettle(day, true, at(moment)), same, `${moment}, same day`);
  }
});
