import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dayInText,
  dueWords,
  exactDayWords,
  longDayWords,
  monthWords,
  shortDayWords,
  shortMonthWords,
  tableDayWords,
} from './day-words.ts';
import { type Clock, dayOf, startOfDay, wallClock } from './days.ts';
import { languageOfDates } from './formats.ts';
import { greetingWords } from './greeting.ts';
import { moneyWords, readDollars } from './money.ts';
import { accountChangeWords, accountQuestionWords, changedAccountWords } from './payee-account.ts';
import { listTimeZones, seekTimeZone, timeZoneWords } from './time-zone-list.ts';
import { findTimeZone, todaysZoneName } from './time-zones.ts';
import { dayHeading, exactTimeWords, shortTimeInText, shortTimeWords, timeWords, waitWords } from './times.ts';

const NEW_YORK = 'America/New_York';
const now = '2026-11-20T15:00:00Z';
const UTC = { zone: 'UTC', now };
const THERE = { zone: NEW_YORK, now };

test('a moment in a list is as short as possible', () => {
  assert.equal(shortTimeWords('2026-11-20T14:05:00Z', UTC), '2:05 PM');
  assert.equal(shortTimeWords('2026-11-19T23:59:00Z', UTC), 'Yesterday');
  assert.equal(shortTimeInText('2026-11-19T23:59:00Z', UTC), 'yesterday');
  assert.equal(shortTimeInText('2026-11-15T08:00:00Z', UTC), 'Sunday');
  assert.equal(shortTimeWords('2026-11-15T08:00:00Z', UTC), 'Sunday');
  assert.equal(shortTimeWords('2026-11-12T08:00:00Z', UTC), 'Nov 12');
  assert.equal(shortTimeWords('2025-11-12T08:00:00Z', UTC), 'Nov 12, 2025');
});

test('past days are named by their distance, across the turn of the year', () => {
  const shown = (day: string) => shortTimeWords(`${day}T12:00:00Z`, { zone: 'UTC', now: '2026-01-07T15:00:00Z' });
  assert.deepEqual(['2026-01-07', '2026-01-06', '2026-01-05', '2026-01-02', '2026-01-01', '2025-12-31'].map(shown), [
    '12:00 PM',
    'Yesterday',
    'Monday',
    'Friday',
    'Thursday',
    'Dec 31, 2025',
  ]);
  const later = (day: string) => shortTimeWords(`${day}T12:00:00Z`, { zone: 'UTC', now: '2026-01-08T15:00:00Z' });
  assert.deepEqual(['2026-01-02', '2026-01-01'].map(later), ['Friday', 'Jan 1']);
  // It is still last year in New York.
  const atTurn = { zone: NEW_YORK, now: '2026-01-10T12:00:00Z' };
  assert.equal(shortTimeWords('2026-01-01T04:59:59Z', atTurn), 'Dec 31, 2025');
  assert.equal(shortTimeWords('2026-01-01T05:00:00Z', atTurn), 'Jan 1');
});

test('a clock that runs ahead does not make a message come from the future', () => {
  assert.equal(shortTimeWords('2026-11-20T15:00:30Z', UTC), '3:00 PM');
});

test('days end at midnight where the person is', () => {
  assert.equal(shortTimeWords('2026-11-20T03:30:00Z', THERE), 'Yesterday');
  assert.equal(timeWords('2026-11-20T03:30:00Z', THERE), '10:30 PM');
  assert.equal(dayHeading('2026-11-20T03:30:00Z', THERE), 'Yesterday');
  assert.equal(dayHeading('2026-11-20T06:00:00Z', THERE), 'Today');
  assert.equal(dayHeading('2026-11-10T12:00:00Z', THERE), 'Tuesday, November 10');
  assert.match(dayHeading('2025-11-10T12:00:00Z', THERE), /2025$/);
});

test('the year is left out while it is the same for the person, although it is another one elsewhere', () => {
  const evening = { zone: NEW_YORK, now: '2027-01-01T01:00:00Z' };
  assert.equal(shortTimeWords('2026-12-01T17:00:00Z', evening), 'Dec 1');
  assert.equal(dayHeading('2026-12-01T17:00:00Z', evening), 'Tuesday, December 1');
  assert.equal(exactDayWords('2026-12-01', evening), 'Tue, Dec 1');
  const morning = { zone: 'Australia/Sydney', now: '2026-12-31T20:00:00Z' };
  assert.equal(shortTimeWords('2026-12-01T02:00:00Z', morning), 'Dec 1, 2026');
  assert.equal(dayHeading('2026-12-01T02:00:00Z', morning), 'Tuesday, December 1, 2026');
  assert.equal(exactDayWords('2026-12-01', morning), 'Dec 1, 2026');
});

/** All words about a moment or its day, as they are for somebody in a zone. */
function allWords(at: number, clock: Clock): Record<string, unknown> {
  const day = dayOf(at, clock.zone);
  const account = {
    last_four: '7766',
    previous_last_four: '4321',
    changed_at: new Date(at).toISOString(),
    changed_since_approval: true,
  };
  return {
    time: timeWords(at, clock),
    short: shortTimeWords(at, clock),
    inText: shortTimeInText(at, clock),
    heading: dayHeading(at, clock),
    // Without the zone at its end.
    exact: exactTimeWords(at, clock).replace(/ (AM|PM) .*$/, ' $1'),
    greeting: greetingWords(clock),
    shortDay: shortDayWords(day, clock),
    dayInText: dayInText(day, clock),
    due: dueWords(day, clock),
    exactDay: exactDayWords(day, clock),
    change: accountChangeWords('Sarah', account, clock),
    card: changedAccountWords({ payee: 'Sarah', account, count: 1, total_cents: 100 }, clock),
    question: accountQuestionWords('Sarah', account, clock),
  };
}

test('words about a moment depend only on the clocks on the walls, around midnight, new years, and changes of clocks', () => {
  const days = ['2026-12-31', '2027-01-01', '2028-02-29', '2026-12-01', '2026-11-01', '2026-03-08', '2026-10-04', '2026-04-05'];
  const zones = [NEW_YORK, 'Australia/Sydney', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu'];
  const minutes = fc.integer({ min: -26 * 60, max: 26 * 60 });
  const near = fc.tuple(fc.constantFrom(...days), minutes);
  const farthest = fc.constantFrom('Pacific/Kiritimati', 'Pacific/Pago_Pago', ...zones);
  const momentOf = ([day, shift]: [string, number], zone: string) => Number(startOfDay(day, zone)) + shift * 60_000;
  fc.assert(
    fc.property(near, near, farthest, (one, other, zone) => {
      const [at, now] = [momentOf(one, zone), momentOf(other, zone)];
      const onWall = (moment: number) => Date.parse(`${wallClock(moment, zone).replace(' ', 'T')}Z`);
      assert.deepEqual(allWords(at, { zone, now }), allWords(onWall(at), { zone: 'UTC', now: onWall(now) }));
    }),
    { numRuns: 250 },
  );
});

test('yesterday is one day back across a change of the clocks', () => {
  const clock = { zone: NEW_YORK, now: '2026-11-02T01:30:00-05:00' };
  assert.equal(shortTimeWords('2026-11-01T00:30:00-04:00', clock), 'Yesterday');
});

test('the exact moment has a date, a time, and a zone', () => {
  assert.match(exactTimeWords('2026-11-20T14:05:00Z', UTC), /^Friday, November 20, 2026\b.* 2:05 PM UTC$/);
});

test('the greeting follows the time of day where the person is', () => {
  assert.equal(greetingWords({ zone: 'UTC', now: '2026-11-20T05:00:00Z' }), 'Good morning');
  assert.equal(greetingWords({ zone: 'UTC', now: '2026-11-20T12:00:00Z' }), 'Good afternoon');
  assert.equal(greetingWords({ zone: 'UTC', now: '2026-11-20T00:30:00Z' }), 'Good evening');
});

test('the greeting changes exactly at five, noon, and six', () => {
  const at = (time: string) => greetingWords({ zone: NEW_YORK, now: `2026-07-01T${time}:00-04:00` });
  assert.deepEqual(
    ['04:59', '05:00', '11:59', '12:00', '17:59', '18:00', '23:59', '00:00'].map((time) => at(time).slice(5)),
    ['evening', 'morning', 'morning', 'afternoon', 'afternoon', 'evening', 'evening', 'evening'],
  );
});

test('a payment day is always exact, a month has its year, and a leap day is a day', () => {
  const clock = { zone: 'UTC', now: '2028-02-28T12:00:00Z' };
  assert.deepEqual(
    ['2028-02-28', '2028-02-29', '2028-03-01', '2029-01-01', '2027-12-31'].map((day) => exactDayWords(day, clock)),
    ['Mon, Feb 28', 'Tue, Feb 29', 'Wed, Mar 1', 'Jan 1, 2029', 'Dec 31, 2027'],
  );
  assert.deepEqual(
    ['2028-02-26', '2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01'].map((day) => dueWords(day, clock)),
    ['since Sat, Feb 26', 'since Sun, Feb 27', 'today', 'tomorrow', 'on Wed, Mar 1'],
  );
  assert.deepEqual(
    ['2028-02-26', '2028-02-27', '2028-02-29', '2028-03-01'].map((day) => dayInText(day, clock)),
    ['on Sat, Feb 26', 'yesterday', 'tomorrow', 'on Wed, Mar 1'],
  );
  assert.deepEqual(
    [monthWords('2028-02'), shortMonthWords('2028-12'), tableDayWords('2028-02-29')],
    ['February 2028', 'Dec', 'Feb 29, 2028'],
  );
});

test('an unknown time zone is rejected', () => {
  assert.equal(findTimeZone(NEW_YORK), NEW_YORK);
  for (const value of [undefined, '', 'Mars/Olympus', '<script>']) assert.equal(findTimeZone(value), null);
});

test('a due day is near, later, or past by the person’s own calendar', () => {
  const words = (day: string, zone = 'UTC') => dueWords(day, { zone, now: '2026-11-20T23:30:00Z' });
  assert.deepEqual(
    ['2026-11-20', '2026-11-21', '2026-11-23', '2026-12-01', '2027-01-04', '2026-11-03'].map((day) => words(day)),
    ['today', 'tomorrow', 'on Mon, Nov 23', 'on Tue, Dec 1', 'on Jan 4, 2027', 'since Tue, Nov 3'],
  );
  assert.equal(words('2026-11-21', 'Europe/Berlin'), 'today');
});

test('a wait is shown in whole seconds, then in whole minutes, and is never rounded down', () => {
  assert.deepEqual([0, 1, 42.1, 60, 841].map(waitWords), ['1 second', '1 second', '43 seconds', '1 minute', '15 minutes']);
});

test('other languages have their own names of days and their own clocks', () => {
  const german = { ...UTC, locale: 'de-DE' };
  assert.equal(timeWords('2026-11-20T14:05:00Z', german), '14:05');
  assert.equal(dayHeading('2025-11-10T12:00:00Z', german), 'Montag, 10. November 2025');
  assert.equal(shortTimeWords('2026-11-12T08:00:00Z', { ...UTC, locale: 'es-US' }), '12 nov');
});

test('time zones are listed in words, each once, those of the United States first', () => {
  const zones = listTimeZones('Mars/Base');
  assert.deepEqual(zones.slice(0, 2).map(timeZoneWords), ['Eastern Time (New York)', 'Central Time (Chicago)']);
  for (const zone of ['UTC', 'Europe/Paris', 'Mars/Base', ...Intl.supportedValuesOf('timeZone').map(todaysZoneName)])
    assert.ok(zones.includes(zone));
  const words = zones.map(timeZoneWords);
  assert.equal(new Set(words).size, words.length, 'words name one zone');
});

test('a time zone is found by its city, words, or name, unless several match', () => {
  const zones = listTimeZones('UTC');
  const seek = (typed: string) => seekTimeZone(zones, typed);
  assert.equal(seek('new york'), 'America/New_York');
  assert.equal(seek(' Pacific Time '), 'America/Los_Angeles');
  assert.equal(seek('Tokyo'), 'Asia/Tokyo');
  assert.equal(seek('asia/tokyo'), 'Asia/Tokyo');
  assert.equal(seek('buenos'), 'America/Argentina/Buenos_Aires');
  assert.deepEqual([seek('time'), seek('nowhere'), seek(' ')], [null, null, null]);
});

test('[ACCOUNT-9] time zones have today’s names, and are found and accepted under earlier ones too', () => {
  const zones = listTimeZones('Asia/Calcutta');
  for (const [today, earlier, words] of [
    ['Asia/Kolkata', 'Asia/Calcutta', 'Kolkata'],
    ['Asia/Kathmandu', 'Asia/Katmandu', 'Kathmandu'],
    ['Europe/Kyiv', 'Europe/Kiev', 'Kyiv'],
    ['America/Indiana/Indianapolis', 'America/Indianapolis', 'Indianapolis, Indiana'],
  ] as const) {
    assert.ok(zones.includes(today) && !zones.includes(earlier));
    for (const name of [today, earlier]) assert.deepEqual([findTimeZone(name), timeZoneWords(name)], [today, words]);
    for (const typed of [words, earlier, earlier.split('/').at(-1) ?? '', today])
      assert.equal(seekTimeZone(zones, typed), today, typed);
  }
  // A name that this runtime reports and people no longer use would be missing here.
  for (const name of ['Asia/Yangon', 'Asia/Ho_Chi_Minh', 'America/Nuuk', 'Atlantic/Faroe', 'Pacific/Kanton', 'Africa/Asmara'])
    assert.equal(findTimeZone(name), name);
});

test('a time zone is named for its place', () => {
  assert.equal(timeZoneWords('America/Los_Angeles'), 'Pacific Time (Los Angeles)');
  assert.equal(timeZoneWords('America/Argentina/Buenos_Aires'), 'Buenos Aires, Argentina');
  assert.equal(timeZoneWords('UTC'), 'UTC');
});

test('[LOCALE-1] dates, times, and amounts follow the reader; digits and calendar stay ours', (t) => {
  const reader = Symbol.for('case-platform.reader-locale');
  const before = Reflect.get(globalThis, reader);
  t.after(() => Reflect.set(globalThis, reader, before));
  const shown = (locale: string) => {
    Reflect.set(globalThis, reader, () => locale);
    const day = tableDayWords('2026-11-24');
    return [
      day,
      timeWords('2026-11-24T14:07:00Z', { zone: 'UTC' }),
      moneyWords(123_450).replaceAll(/\s/g, ' '),
      languageOfDates(),
    ];
  };
  assert.deepEqual(shown('en-US'), ['Nov 24, 2026', '2:07 PM', '$1,234.50', undefined]);
  assert.deepEqual(shown('en-GB'), ['24 Nov 2026', '14:07', 'US$1,234.50', undefined]);
  assert.deepEqual(shown('de-DE'), ['24. Nov. 2026', '14:07', '1.234,50 $', 'de-DE']);
  assert.deepEqual(shown('es-MX'), ['24 nov 2026', '2:07 p.m.', 'USD 1,234.50', 'es-MX']);
  for (const locale of ['fa-IR', 'ar-EG', 'th-TH', 'ja-JP']) {
    assert.match(shown(locale).join(' '), /2026/, locale);
    assert.match(longDayWords('2026-11-24'), /24/, locale);
    assert.match(exactTimeWords('2026-11-24T14:07:00Z', { zone: 'UTC' }), /7/, locale);
    assert.equal(readDollars(moneyWords(123_450)), 123_450, locale);
  }
});
