import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayInText, shortDayWords } from '@case-platform/words/day-words';
import { dayElementInText, sinceElement } from './times.ts';

const clock = { zone: 'America/New_York', now: new Date('2026-11-22T15:00:00Z') };

const DAYS = [
  ['2026-11-22', 'Today', 'today'],
  ['2026-11-23', 'Tomorrow', 'tomorrow'],
  ['2026-11-21', 'Yesterday', 'yesterday'],
  ['2026-11-24', 'Tue, Nov 24', 'on Tue, Nov 24'],
  ['2026-11-19', 'Thu, Nov 19', 'on Thu, Nov 19'],
  ['2026-11-30', 'Mon, Nov 30', 'on Mon, Nov 30'],
  ['2027-01-04', 'Jan 4, 2027', 'on Jan 4, 2027'],
] as const;

for (const [day, alone, inText] of DAYS) {
  test(`${day} is "${alone}" by itself, and "${inText}" after a verb`, () => {
    assert.equal(shortDayWords(day, clock), alone);
    assert.equal(dayInText(day, clock), inText);
  });
}

test('an element within a sentence reads on, and says the whole date on hover', () => {
  assert.match(String(dayElementInText('2026-11-24', clock)), /title="Tuesday, November 24, 2026"[\s\S]*>on Tue, Nov 24</);
});

test('the day since when something has been there is the reader’s', () => {
  const since = sinceElement(new Date('2026-11-21T03:00:00Z'), clock);
  assert.match(String(since), />November 20, 2026</);
});
