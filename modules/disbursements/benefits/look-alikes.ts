/** Latin letters without an accent that a name may contain, in addition to A to Z. */
const LATIN = 'A-Za-zÆÐØÞßæðøþ';
const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '');

/**
 * Reduces a category to its appearance, because a request in a look-alike category would escape the limit of the original
 * (CATEGORY-2). Ignores accents, case, spaces, and punctuation, and treats `l`, `I`, `1`, and `|` as one letter, and `O` and `0`
 * as another.
 */
export function looksOf(category: string): string {
  // Converted both ways, because the two lower-case sigmas share one upper-case letter.
  const folded = withoutAccents(category).toUpperCase().toLowerCase();
  const looks = folded.replaceAll(/[1il|]/g, 'l').replaceAll('0', 'o');
  return looks.replaceAll(/[^\p{L}\p{N}]/gu, '') || folded;
}

/** Finds a letter of another alphabet among Latin ones, such as the Cyrillic `а`; null if all are Latin or none are. */
export function findForeignLetter(category: string): string | null {
  const plain = withoutAccents(category);
  if (!/[A-Za-z]/.test(plain)) return null;
  return new RegExp(`(?![${LATIN}])\\p{L}`, 'u').exec(plain)?.[0] ?? null;
}
