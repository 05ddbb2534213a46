import { processingDay } from '@case-platform/words/bank-days';
import { startOfDay } from '@case-platform/words/days';

const MONTH_NAMES = 'January|February|March|April|May|June|July|August|September|October|November|December';
const thisYear = new Date().getUTCFullYear();
const isNear = (year: string | undefined) => Math.abs(Number(year) - thisYear) <= 2;

/** Writes a line without what depends on the day and the installation. Dates of 2022 and 2023 stay as they are. */
export function stableLine(line: string, zone: string): string {
  return line
    .replaceAll(/\{_?([^{}]*?)_? = ([^{}]*?) = (20\d\d-[^{}]*?)\}/g, (whole, words, exact, value) =>
      isNear(value.slice(0, 4))
        ? writeRecent({ words, exact, value, zone })
        : exact === exactly(value, zone)
          ? `{${words} = ${value.replace(':00.000Z', 'Z')}}`
          : whole,
    )
    .replaceAll(/(?<=by )\d+(:\d\d)? [AP]M (today|tomorrow|on (\w{3}, )?\w{3} \d+(, 20\d\d)?)/g, (words) =>
      justNow().some((now) => words === deadlineAt(now, zone)) ? 'DEADLINE' : words,
    )
    .replaceAll(/(?<=changed bank accounts on )\w{3}, \w{3} \d+/g, (words) =>
      justNow().some((now) => words === dateAt(now, zone)) ? 'DATE' : words.replace(', ', ' '),
    )
    .replaceAll(/https?:\/\/(localhost|127\.0\.0\.1):\d+\/\S*?filename%3D%22([^%]*)%22[^\s")]*/g, 'FILE:$2')
    .replaceAll(/(https?:\/\/)(localhost|127\.0\.0\.1):\d+/g, '$1HOST')
    .replaceAll(/\b(20\d\d)-\d\d-\d\d\b/g, (day, year) => (isNear(year) ? 'DAY' : day))
    .replaceAll(
      new RegExp(`\\b((Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, )?(${MONTH_NAMES}|[A-Z][a-z]{2}) \\d{1,2}, (20\\d\\d)\\b`, 'g'),
      (date, ...groups) => (isNear(groups[3]) ? 'DATE' : date),
    )
    .replaceAll(/DATE at \d+:\d\d [AP]M/g, 'DATE at TIME')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [A-Z][a-z]{2} \d{1,2}\b/g, 'DATE')
    .replaceAll(new RegExp(`\\b(${MONTH_NAMES}) (20\\d\\d)\\b`, 'g'), (words, month, year) =>
      isNear(year) ? `MONTH${monthsFromNow(month, Number(year))}` : words,
    )
    .replaceAll(/_R_\w*/g, 'ID')
    .replaceAll(/Good (morning|afternoon|evening)/g, (words) =>
      justNow().some((now) => words === greetingAt(now, zone)) ? 'GREETING' : words,
    )
    .replaceAll(/[0-9A-Z]{4}(-[0-9A-Z]{1,4}){7,}/g, 'CODE');
}

/** The times at which the page and what it shows can have been made, because an hour or a day may have ended since. */
const justNow = () => [new Date(), new Date(Date.now() - 300_000)];

function greetingAt(now: Date, zone: string): string {
  const hour = Number(new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format(now));
  if (hour < 5 || hour >= 18) return 'Good evening';
  return hour < 12 ? 'Good morning' : 'Good afternoon';
}

/** The words for the next batch, which is made at 2 PM in New York (WHERE-4). */
function deadlineAt(now: Date, zone: string): string {
  const start = startOfDay(processingDay(now, 14), 'America/New_York') ?? now;
  const at = new Date(start.getTime() + 14 * 3_600_000);
  const days = [0, 1].map((ahead) => dateAt(new Date(now.getTime() + ahead * 86_400_000), zone));
  const near = ['today', 'tomorrow'][days.indexOf(dateAt(at, zone))];
  const isThisYear = yearAt(at, zone) === yearAt(now, zone);
  const date = isThisYear ? dateAt(at, zone) : `${dateAt(at, zone).replace(/^\w+, /, '')}, ${yearAt(at, zone)}`;
  return `${write(at.toISOString(), zone).replace(':00', '')} ${near ?? `on ${date}`}`;
}

const dateAt = (at: Date, zone: string) =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', day: 'numeric', month: 'short' }).format(at);
const yearAt = (at: Date, zone: string) => new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric' }).format(at);

function monthsFromNow(month: string, year: number): string {
  const months = (year - thisYear) * 12 + MONTH_NAMES.split('|').indexOf(month) - new Date().getUTCMonth();
  return months < 0 ? String(months) : `+${months}`;
}

/** A time of today or yesterday, if its words and its exact time are right in the reader's zone. */
function writeRecent({ words, exact, value, zone }: Record<'words' | 'exact' | 'value' | 'zone', string>): string {
  if (value.length === 10) return writeDay(words, exact, value);
  const time = write(value, zone);
  return `{${words === time ? 'TIME' : words} = ${exact === exactly(value, zone) ? 'EXACT' : exact}}`;
}

/** A day by its month from now, if that cannot be a day on which money arrives. */
function writeDay(words: string, exact: string, day: string): string {
  const write = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', day: 'numeric', month: 'short', ...parts }).format(new Date(day));
  const isFar = Math.abs(Date.parse(day) - Date.now()) > 28 * 86_400_000;
  const months = (Number(day.slice(0, 4)) - thisYear) * 12 + Number(day.slice(5, 7)) - 1 - new Date().getUTCMonth();
  const name = isFar ? `DAY ${Number(day.slice(8))} OF MONTH${months < 0 ? '' : '+'}${months}` : 'DATE';
  const short = words.replace(write({ weekday: 'short' }), name).replace(write({ year: 'numeric' }), name);
  return `{${short}${exact === write({ month: 'long', year: 'numeric' }) ? '' : ` = ${exact} = ${day}`}}`;
}

const write = (at: string, zone: string, more: Intl.DateTimeFormatOptions = {}) =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit', ...more })
    .format(new Date(at))
    .replaceAll('\u202f', ' ');
/** The exact words for a moment in the reader's zone, which is left out where the page has them. */
const exactly = (at: string, zone: string) =>
  at.length === 10
    ? at
    : write(at, zone, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZoneName: 'short' });
