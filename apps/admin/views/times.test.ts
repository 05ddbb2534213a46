import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarDayWords, dayElementInText, dayInText } from './times.ts';

const clock = { zone: 'America/New_York', now: new Date('2026-11-22T15:00:00Z') };

const DAYS = [
  ['2026-11-22', 'Today', 'today'],
  ['2026-11-23', 'Tomorrow', 'tomorrow'],
  ['2026-11-21', 'Yesterday', 'yesterday'],
  ['2026-11-24', 'In 2 days', 'in 2 days'],
  ['2026-11-19', '3 days ago', '3 days ago'],
  ['2026-11-30', '30 Nov', 'on 30 Nov'],
  ['2027-01-04', '4 Jan 2027', 'on 4 Jan 2027'],
] as const;

for (const [day, alone, inText] of DAYS) {
  test(`${day} is "${alone}" by itself, and "${inText}" after a verb`, () => {
    assert.equal(calendarDayWords(day, clock), alone);
    assert.equal(dayInText(day, clock), inText);
  });
}

test('an element within a sentence reads on, and says the whole date on hover', () => {
  assert.match(dayElementInText('2026-11-24', clock), /title="Tuesday,? 24 November 2026"[\s\S]*>in 2 days</);
});
