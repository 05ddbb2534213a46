import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayInText, fullDayWords, longDayWords, shortDayWords } from './day-words.ts';
import { type Clock, commonPeriods, dayOf, startOfDay } from './days.ts';

const DAYS = [
  ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21', 'America/Los_Angeles', '2026-11-21T08:00:00.000Z'],
  ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  // The clocks go from midnight to one o’clock, and from midnight back to eleven.
  ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
  ['2026-04-05', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
  ['2026-06-01', 'Asia/Kathmandu', '2026-05-31T18:15:00.000Z'],
] as const;

for (const [day, zone, moment] of DAYS) {
  test(`${day} begins in ${zone} at ${moment}`, () => assert.equal(startOfDay(day, zone)?.toISOString(), moment));
}

test('a day that does not exist has no beginning', () => {
  for (const day of ['2026-02-30', '2026-13-01', '0000-00-00', 'yesterday']) {
    assert.equal(startOfDay(day, 'UTC'), undefined);
  }
});

const at = (from: string, to: string) => fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true });
/** No zone has skipped a day since 2012. */
const moment = at('2012-01-02', '2060-01-01');
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));

test('the beginning of a day can be read back as that day, in every zone, and nothing before it', () => {
  fc.assert(
    fc.property(moment, zone, (then, where) => {
      const day = dayOf(then, where);
      const start = startOfDay(day, where);
      assert.ok(start !== undefined && start <= then, `${day} ${where}`);
      assert.equal(dayOf(start, where), day);
      assert.ok(dayOf(start.getTime() - 1, where) < day, `${day} ${where}`);
    }),
    { numRuns: 1000 },
  );
});

const LOCALES = ['en-US', 'en-GB', 'de-DE', 'es-US', 'fr-FR', 'pt-BR', 'sv-SE', 'zh-CN'];

test('a day that is written can be read back, in every language', () => {
  fc.assert(
    fc.property(at('1990-01-01', '2060-01-01'), fc.constantFrom(...LOCALES), (then, locale) => {
      const day = dayOf(then, 'UTC');
      assert.equal(readDay(longDayWords(day, locale), locale), day);
      assert.equal(readDay(fullDayWords(day, locale), locale), day);
    }),
    { numRuns: 500 },
  );
});

test('a near day that is written in words can be read back', () => {
  fc.assert(
    fc.property(moment, zone, fc.integer({ min: -400, max: 400 }), (now, where, days) => {
      const clock = { zone: where, now };
      const day = new Date(Date.parse(dayOf(now, where)) + days * 86_400_000).toISOString().slice(0, 10);
      assert.equal(readNearDay(shortDayWords(day, clock), clock), day);
      assert.equal(readNearDay(dayInText(day, clock).replace(/^on /, ''), clock), day);
    }),
    { numRuns: 500 },
  );
});

/** Reads year, month, and day in any order. The month is a name in the language, or a number before 月. */
function readDay(words: string, locale: string): string {
  const months = Array.from({ length: 12 }, (_, at) =>
    new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric' })
      .formatToParts(new Date(2026, at, 15))
      .find(({ type }) => type === 'month'),
  );
  const named = months.findIndex((part) => part !== undefined && /\p{L}/u.test(part.value) && words.includes(part.value));
  const year = /\d{4}/.exec(words)?.[0] ?? '';
  const numbers = words.replace(year, '').match(/\d+/g) ?? [];
  const [month, day] = locale === 'zh-CN' ? numbers : [String(named + 1), numbers[0]];
  return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
}

function readNearDay(words: string, { zone, now }: Clock): string {
  const today = dayOf(now, zone);
  const near = { yesterday: -1, today: 0, tomorrow: 1 }[words.toLowerCase()];
  const year = /\d{4}$/.test(words) ? '' : `, ${today.slice(0, 4)}`;
  const read = near === undefined ? Date.parse(`${words}${year} UTC`) : Date.parse(today) + near * 86_400_000;
  return new Date(read).toISOString().slice(0, 10);
}

test('[STATEMENT-2] the common periods follow the bank’s calendar', () => {
  // It is still 2026 in New York.
  assert.deepEqual(
    commonPeriods(new Date('2027-01-01T03:00:00Z')).map(({ from, to }) => [from, to]),
    [
      ['2026-10-03', '2026-12-31'],
      ['2026-12-01', '2026-12-31'],
      ['2026-11-01', '2026-11-30'],
      ['2026-01-01', '2026-12-31'],
      ['2025-01-01', '2025-12-31'],
    ],
  );
});
