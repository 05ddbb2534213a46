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

/** A time zone as people read it: "America/New York". */
export function timeZoneWords(zone: string): string {
  return zone.replaceAll('_', ' ');
}
