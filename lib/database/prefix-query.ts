/** Words looked for at most; more would only make the question slower. */
const WORDS_MAX = 8;

/**
 * A text that somebody looks for, as a query for `to_tsquery('simple', ...)`: all of its words, each by its beginning.
 * @returns null when it holds no letter and no digit.
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
