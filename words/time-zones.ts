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
