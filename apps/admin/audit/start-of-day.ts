const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The moment at which a calendar day begins where the reader is.
 * @param day YYYY-MM-DD. @returns undefined for a day that is in no calendar.
 */
export function startOfDay(day: string, zone: string): Date | undefined {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(wanted) || new Date(wanted).toISOString().slice(0, 10) !== day) return undefined;
  // The second step is for days on which the clocks change.
  const guess = wanted - offsetAt(wanted, zone);
  return new Date(wanted - offsetAt(guess, zone));
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, zone: string): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  formats.set(zone, format);
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(moment / 1000) * 1000;
}
