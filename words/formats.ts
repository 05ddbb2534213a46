/** The language and region in which people read as long as nothing says otherwise. */
export const DEFAULT_LOCALE = 'en-US';

/** Making a format costs a hundred times what using it does, and a page writes dozens of dates. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();
/** Above this they are all made anew: a server meets every time zone sooner or later. */
const FORMATS_MAX = 1000;

/** What stands before AM and PM in some runtimes, and is a plain space in others. */
const NARROW_SPACE = String.fromCodePoint(0x202f);

/** A moment in this zone and language, with the parts that the options name. */
export function formatDate(at: Date, zone: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const make = () => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  return known(dateFormats, `${locale} ${zone} ${JSON.stringify(options)}`, make)
    .format(at)
    .replaceAll(NARROW_SPACE, ' ');
}

/** The format of numbers, or of amounts in dollars, in this language. */
export function numberFormat(locale: string, currency?: 'USD'): Intl.NumberFormat {
  const options = currency === undefined ? {} : ({ style: 'currency', currency } as const);
  return known(numberFormats, `${locale} ${currency}`, () => new Intl.NumberFormat(locale, options));
}

function known<F>(formats: Map<string, F>, key: string, make: () => F): F {
  const found = formats.get(key) ?? make();
  if (!formats.has(key) && formats.size >= FORMATS_MAX) formats.clear();
  formats.set(key, found);
  return found;
}
