import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dayWords,
  dueWords,
  exactTimeWords,
  greeting,
  knownTimeZone,
  shortTimeWords,
  timeWords,
} from './time-words.ts';

const NOW = Date.parse('2026-11-20T15:00:00Z');
const NEW_YORK = 'America/New_York';

test('a moment in a list is told as short as it is clear', () => {
  assert.equal(shortTimeWords('2026-11-20T14:05:00Z', NOW, 'UTC'), '2:05 PM');
  assert.equal(shortTimeWords('2026-11-19T23:59:00Z', NOW, 'UTC'), 'Yesterday');
  assert.equal(shortTimeWords('2026-11-15T08:00:00Z', NOW, 'UTC'), 'Sunday');
  assert.equal(shortTimeWords('2026-11-12T08:00:00Z', NOW, 'UTC'), 'Nov 12');
  assert.equal(shortTimeWords('2025-11-12T08:00:00Z', NOW, 'UTC'), 'Nov 12, 2025');
});

test('a clock that runs ahead does not make a message come from the future', () => {
  assert.equal(shortTimeWords('2026-11-20T15:00:30Z', NOW, 'UTC'), '3:00 PM');
});

test('days end at midnight where the person is', () => {
  assert.equal(shortTimeWords('2026-11-20T03:30:00Z', NOW, NEW_YORK), 'Yesterday');
  assert.equal(timeWords('2026-11-20T03:30:00Z', NEW_YORK), '10:30 PM');
  assert.equal(dayWords('2026-11-20T03:30:00Z', NOW, NEW_YORK), 'Yesterday');
  assert.equal(dayWords('2026-11-20T06:00:00Z', NOW, NEW_YORK), 'Today');
  assert.equal(dayWords('2026-11-10T12:00:00Z', NOW, NEW_YORK), 'Tuesday, November 10');
  assert.match(dayWords('2025-11-10T12:00:00Z', NOW, NEW_YORK), /2025$/);
});

test('yesterday is one day over a change of the clocks', () => {
  const now = Date.parse('2026-11-02T01:30:00-05:00');
  assert.equal(shortTimeWords('2026-11-01T00:30:00-04:00', now, NEW_YORK), 'Yesterday');
});

test('the exact moment has its date, its time and its zone', () => {
  assert.match(exactTimeWords('2026-11-20T14:05:00Z', 'UTC'), /^Friday, November 20, 2026\b.* 2:05 PM UTC$/);
});

test('the greeting follows the sun', () => {
  assert.equal(greeting(Date.parse('2026-11-20T05:00:00Z'), 'UTC'), 'Good morning');
  assert.equal(greeting(Date.parse('2026-11-20T12:00:00Z'), 'UTC'), 'Good afternoon');
  assert.equal(greeting(Date.parse('2026-11-20T00:30:00Z'), 'UTC'), 'Good evening');
});

test('a time zone that nobody knows is UTC', () => {
  assert.equal(knownTimeZone(NEW_YORK), NEW_YORK);
  for (const value of [undefined, '', 'Mars/Olympus', '<script>']) assert.equal(knownTimeZone(value), 'UTC');
});

test('a due day is near, later or past, in the person’s own day', () => {
  const now = Date.parse('2026-11-20T23:30:00Z');
  const words = (day: string, zone = 'UTC') => dueWords(day, now, zone);
  assert.deepEqual(
    ['2026-11-20', '2026-11-21', '2026-11-23', '2026-12-01', '2027-01-04', '2026-11-03'].map((day) => words(day)),
    ['today', 'tomorrow', 'on Mon, Nov 23', 'on Tue, Dec 1', 'on Jan 4, 2027', 'since Tue, Nov 3'],
  );
  assert.equal(words('2026-11-21', 'Europe/Berlin'), 'today');
});
