import { ownCookieName } from './own-cookie.ts';

/** Preferences that the first render needs, as cookies of this device. They contain no secrets. */
const NAMES = {
  theme: 'case-theme',
  /** The device's zone at its last visit, so that the server can render times in it. */
  zone: 'case-zone',
  /** The zone that the person chose instead of the device's. */
  'chosen-zone': 'case-chosen-zone',
  role: 'case-role',
} as const;

const YEAR_SECONDS = 365 * 24 * 60 * 60;

interface CookieJar {
  get(name: string): { value: string } | undefined;
}

/** Reads a preference. In development, over http, the names of cookies have no `__Host-` prefix. */
export function readPreference(jar: CookieJar, name: keyof typeof NAMES): string | undefined {
  return (jar.get(ownCookieName(NAMES[name], true)) ?? jar.get(ownCookieName(NAMES[name], false)))?.value;
}

/** Stores a preference for a year, or removes it for null. Browser only. */
export function setPreference(name: keyof typeof NAMES, value: string | null): void {
  const https = location.protocol === 'https:';
  const rest = `path=/; samesite=lax${https ? '; secure' : ''}`;
  const age = value === null ? 0 : YEAR_SECONDS;
  write(`${ownCookieName(NAMES[name], https)}=${encodeURIComponent(value ?? '')}; max-age=${age}; ${rest}`);
}

function write(cookie: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve.
  document.cookie = cookie;
}

/** The chosen theme, or undefined for the system's. */
export function parseTheme(value: string | undefined): 'light' | 'dark' | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
