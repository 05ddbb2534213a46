/** Used until a reader's language and region are known. */
export const DEFAULT_LOCALE = 'en-US';

/** Making a format costs a hundred times what using it does, and a page writes dozens of dates. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();
/** Limits the memory of a server, which meets every time zone sooner or later. */
const FORMATS_MAX = 1000;

/** Some runtimes write this space before AM and PM, and others a plain space. */
const NARROW_SPACE = String.fromCodePoint(0x202f);

export function formatDate(at: Date, zone: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const make = () => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  return cached(dateFormats, `${locale} ${zone} ${JSON.stringify(options)}`, make)
    .format(at)
    .replaceAll(NARROW_SPACE, ' ');
}

export function numberFormat(locale: string, currency?: 'USD'): Intl.NumberFormat {
  const options = currency === undefined ? {} : ({ style: 'currency', currency } as const);
  return cached(numberFormats, `${locale} ${currency}`, () => new Intl.NumberFormat(locale, options));
}

function cached<F>(formats: Map<string, F>, key: string, make: () => F): F {
  const format = formats.get(key) ?? make();
  if (!formats.has(key) && formats.size >= FORMATS_MAX) formats.clear();
  formats.set(key, format);
  return format;
}

/** The browser's time zone, under the name that the browser has for it. Every page loads this, so it has no list of names. */
export function deviceTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
