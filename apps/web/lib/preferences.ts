/** Small choices that the first render needs to know, kept in cookies of this device. None of them is a secret. */
const NAMES = {
  theme: 'case-theme',
  /** The zone of the last page, so that the next one is rendered in it at once. */
  zone: 'case-zone',
  /** The zone that was chosen over the device's own. */
  'chosen-zone': 'case-chosen-zone',
  role: 'case-role',
} as const;

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The cookie that holds a preference. */
export function preferenceCookie(name: keyof typeof NAMES): string {
  return NAMES[name];
}

/** Keeps a preference for a year, or forgets it. Browser only. */
export function setPreference(name: keyof typeof NAMES, value: string | null): void {
  const secure = location.protocol === 'https:' ? '; secure' : '';
  const age = value === null ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve.
  document.cookie = `${NAMES[name]}=${encodeURIComponent(value ?? '')}; path=/; max-age=${age}; samesite=lax${secure}`;
}

/** The chosen theme, or undefined for the system's. */
export function knownTheme(value: string | undefined): 'light' | 'dark' | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
