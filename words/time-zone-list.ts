/** The zones that most of the platform's people live in, as Americans call them. */
const UNITED_STATES: Readonly<Record<string, string>> = {
  'America/New_York': 'Eastern Time (New York)',
  'America/Chicago': 'Central Time (Chicago)',
  'America/Denver': 'Mountain Time (Denver)',
  'America/Phoenix': 'Arizona (Phoenix)',
  'America/Los_Angeles': 'Pacific Time (Los Angeles)',
  'America/Anchorage': 'Alaska (Anchorage)',
  'Pacific/Honolulu': 'Hawaii (Honolulu)',
};

/** Every time zone to choose from, those of the United States first; the one in use is among them whatever it is. */
export function listTimeZones(current: string): string[] {
  const common = Object.keys(UNITED_STATES);
  const others = new Set(
    ['UTC', ...Intl.supportedValuesOf('timeZone'), current].filter((zone) => !common.includes(zone)),
  );
  return [...common, ...[...others].sort((a, b) => timeZoneWords(a).localeCompare(timeZoneWords(b)))];
}

/** A time zone as people read it: "Eastern Time (New York)", "Paris". */
export function timeZoneWords(zone: string): string {
  return UNITED_STATES[zone] ?? placeOf(zone);
}

/** "Buenos Aires, Argentina" of America/Argentina/Buenos_Aires. */
function placeOf(zone: string): string {
  const places = zone.replaceAll('_', ' ').split('/');
  return (places.length > 1 ? places.slice(1) : places).toReversed().join(', ');
}

/** The zone that somebody means who types this: its words or its name, or a part of the words of only one; else null. */
export function seekTimeZone(zones: readonly string[], typed: string): string | null {
  const sought = typed.trim().toLowerCase();
  const whole = zones.find((zone) => [zone, timeZoneWords(zone)].some((words) => words.toLowerCase() === sought));
  if (whole !== undefined || sought === '') return whole ?? null;
  const [only, another] = zones.filter((zone) => timeZoneWords(zone).toLowerCase().includes(sought));
  return another === undefined ? (only ?? null) : null;
}
