/** Used where a reader's language and region are unknown. */
const DEFAULT_LOCALE = 'en-US';

/** Set by lib/reader-locale.ts. */
const READER = Symbol.for('case-platform.reader-locale');
interface Shared {
  [READER]?: () => string | undefined;
  document?: { documentElement: { dataset: Readonly<Record<string, string | undefined>> } };
}

/**
 * The locale of the current reader: on servers that of the request or the recipient (lib/reader-locale.ts), in browsers
 * `data-locale` of the document, so that both write the same (LOCALE-1).
 */
export function readerLocale(): string {
  const { [READER]: read, document }: Shared = globalThis as Shared;
  return read?.() ?? document?.documentElement.dataset.locale ?? DEFAULT_LOCALE;
}

/** The language of dates, for the attribute `lang` of elements in English text; undefined for English. */
export function languageOfDates(): string | undefined {
  const locale = readerLocale();
  return locale.startsWith('en') ? undefined : locale;
}

/** Making a format costs a hundred times what using it does, and a page writes dozens of dates. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();
/** Limits the memory of a server, which meets every time zone sooner or later. */
const FORMATS_MAX = 1000;

/** Some runtimes write this space before AM and PM, and others a plain space. */
const NARROW_SPACE = String.fromCodePoint(0x202f);

export function formatDate(at: Date, zone: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const make = () =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone, calendar: 'gregory', numberingSystem: 'latn' });
  return cached(dateFormats, `${locale} ${zone} ${JSON.stringify(options)}`, make)
    .format(at)
    .replaceAll(NARROW_SPACE, ' ');
}

export function numberFormat(locale: string, currency?: 'USD'): Intl.NumberFormat {
  const digits = { numberingSystem: 'latn' } as const;
  const options = currency === undefined ? digits : ({ ...digits, style: 'currency', currency } as const);
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
