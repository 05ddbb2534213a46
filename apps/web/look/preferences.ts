import { ownCookieName } from './own-cookie.ts';

/** Preferences that the first render needs, kept in this device's cookies. None of them is secret. */
const NAMES = {
  theme: 'case-theme',
  /** The zone of the last page, so that the next one is rendered in it at once. */
  zone: 'case-zone',
  /** The zone that was chosen over the device's own. */
  'chosen-zone': 'case-chosen-zone',
  role: 'case-role',
} as const;

const YEAR_SECONDS = 365 * 24 * 60 * 60;

interface CookieJar {
  get(name: string): { value: string } | undefined;
}

/** A stored preference. Cookies have no `__Host-` in development, where the address is http. */
export function readPreference(jar: CookieJar, name: keyof typeof NAMES): string | undefined {
  return (jar.get(ownCookieName(NAMES[name], true)) ?? jar.get(ownCookieName(NAMES[name], false)))?.value;
}

/** Keeps a preference for a year, or forgets it. Browser only. */
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
export function knownTheme(value: string | undefined): 'light' | 'dark' | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
