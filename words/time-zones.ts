/** The time zone by the name that this runtime has for it, or null for one that it does not know. */
export function findTimeZone(name: string | undefined): string | null {
  if (name === undefined || name === '') return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The time zone of this device. */
export function deviceTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Every time zone by its place, for a list to choose from; the one in use is among them whatever it is. */
export function listTimeZones(current: string): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), current])].sort();
}

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

/** Time zones that are offered together. */
export interface ZoneGroup {
  words: string;
  zones: { zone: string; words: string }[];
}

/** Time zones as a list to choose from: those of the United States first, then by the part of the world, each by its place. */
export function groupTimeZones(zones: readonly string[]): ZoneGroup[] {
  const common = Object.entries(UNITED_STATES).map(([zone, words]) => ({ zone, words }));
  const others = zones.filter((zone) => UNITED_STATES[zone] === undefined);
  const byPart = Map.groupBy(others, (zone) => (zone.includes('/') ? (zone.split('/')[0] ?? '') : 'Other'));
  return [
    { words: 'United States', zones: common },
    ...[...byPart].map(([words, some]) => ({
      words,
      zones: some.map((zone) => ({ zone, words: placeOf(zone) })).sort((a, b) => a.words.localeCompare(b.words)),
    })),
  ];
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
