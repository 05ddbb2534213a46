/** This runtime's name of a time zone, or null if it does not know the zone. */
export function findTimeZone(name: string | undefined): string | null {
  if (name === undefined || name === '') return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

export function deviceTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
