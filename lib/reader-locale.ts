import { AsyncLocalStorage } from 'node:async_hooks';

export interface Reader {
  locale: string;
  /**
   * Whether the work shows something to this reader. A command stores words that others read, so it writes them in the default
   * locale.
   */
  isShown: boolean;
}

const DEFAULT_LOCALE = 'en-US';
const TAG = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i;
const readers = new AsyncLocalStorage<Reader>();

/** Runs the work for one reader: `words/` writes numbers, dates, and times in their locale (LOCALE-1). */
export function runForReader<Result>(reader: Reader, work: () => Result): Result {
  return readers.run(reader, work);
}

/** The locale in which the sender of the current request types amounts. */
export function typingLocale(): string {
  return readers.getStore()?.locale ?? DEFAULT_LOCALE;
}

// words/formats.ts finds the reader by this symbol: it imports nothing, and bundles of one process have their own copies of it.
Object.assign(globalThis, {
  [Symbol.for('case-platform.reader-locale')]: () => {
    const reader = readers.getStore();
    return reader?.isShown ? reader.locale : undefined;
  },
});

/**
 * Parses the first locale that a browser prefers and that is known here from its `Accept-Language`: "de-DE". Only language,
 * script, and region count. Returns en-US for an unknown one.
 */
export function parseLocale(acceptLanguage: string | undefined): string {
  const preferred = (acceptLanguage ?? '')
    .slice(0, 1000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((text) => /^q=/i.test(text));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .sort((one, other) => other.quality - one.quality);
  for (const { tag, quality } of preferred) {
    if (!(quality > 0) || !TAG.test(tag)) continue;
    const [language] = Intl.PluralRules.supportedLocalesOf(tag);
    if (language !== undefined) return language === 'en' ? DEFAULT_LOCALE : language;
  }
  return DEFAULT_LOCALE;
}
