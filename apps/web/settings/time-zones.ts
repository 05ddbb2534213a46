/** Every time zone by its place, for a list to choose from; the one in use is among them whatever it is. */
export function timeZones(current: string): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), current])].sort();
}

/** A time zone as people read it: "America/New York". */
export function timeZoneWords(zone: string): string {
  return zone.replaceAll('_', ' ');
}
