/** More words would only make the search slower. */
const WORDS_MAX = 8;

/**
 * Turns search words into a query for `to_tsquery('simple', ...)`: all words, each by its beginning (API-6).
 * @returns null for a text without letters and digits.
 */
export function toPrefixQuery(text: string): string | null {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 0
    ? null
    : words
        .slice(0, WORDS_MAX)
        .map((word) => `${word}:*`)
        .join(' & ');
}
