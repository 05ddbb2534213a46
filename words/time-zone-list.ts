import { findEarlierZoneName, todaysZoneName } from './time-zones.ts';

/** The zones in which most people of the platform live, under their American names. */
const UNITED_STATES: Readonly<Record<string, string>> = {
  'America/New_York': 'Eastern Time (New York)',
  'America/Chicago': 'Central Time (Chicago)',
  'America/Denver': 'Mountain Time (Denver)',
  'America/Phoenix': 'Arizona (Phoenix)',
  'America/Los_Angeles': 'Pacific Time (Los Angeles)',
  'America/Anchorage': 'Alaska (Anchorage)',
  'Pacific/Honolulu': 'Hawaii (Honolulu)',
};

/**
 * All time zones to choose from, those of the United States first. The one in use is always included, even if it is not a known
 * zone.
 */
export function listTimeZones(current: string): string[] {
  const common = Object.keys(UNITED_STATES);
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone'), current].map(todaysZoneName);
  const others = new Set(zones.filter((zone) => !common.includes(zone)));
  return [...common, ...[...others].sort((a, b) => timeZoneWords(a).localeCompare(timeZoneWords(b)))];
}

/** A time zone in words: "Eastern Time (New York)", "Paris". */
export function timeZoneWords(zone: string): string {
  return UNITED_STATES[zone] ?? placeOf(todaysZoneName(zone));
}

/** America/Argentina/Buenos_Aires becomes "Buenos Aires, Argentina". */
function placeOf(zone: string): string {
  const places = zone.replaceAll('_', ' ').split('/');
  return (places.length > 1 ? places.slice(1) : places).toReversed().join(', ');
}

/**
 * The zone that a person means: an exact match of its words or name, or else the only zone whose words contain the text.
 * Otherwise null. Earlier names are found too, such as Calcutta.
 */
export function seekTimeZone(zones: readonly string[], typed: string): string | null {
  const text = typed.trim().toLowerCase();
  const whole = zones.find((zone) => [zone, ...namesOf(zone)].some((words) => words.toLowerCase() === text));
  if (whole !== undefined || text === '') return whole ?? null;
  const [only, another] = zones.filter((zone) => namesOf(zone).some((words) => words.toLowerCase().includes(text)));
  return another === undefined ? (only ?? null) : null;
}

/** Its words, and those of its earlier name. */
function namesOf(zone: string): string[] {
  const earlier = findEarlierZoneName(zone);
  return earlier === null ? [timeZoneWords(zone)] : [timeZoneWords(zone), earlier, placeOf(earlier)];
}
