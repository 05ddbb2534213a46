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
    .replaceAll(/by \d+(:\d\d)? [AP]M (today|tomorrow|on DATE)/g, 'by DEADLINE')
    .replaceAll(/_R_\w*/g, 'ID')
    .replaceAll(/Good (morning|afternoon|evening)/g, 'GREETING')
    .replaceAll(/[0-9A-Z]{4}(-[0-9A-Z]{1,4}){7,}/g, 'CODE');
}

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
