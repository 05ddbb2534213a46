/** Latin letters without an accent that a name may contain, in addition to A to Z. */
const LATIN = 'A-Za-zÆÐØÞßæðøþ';
const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '');

/**
 * A category as it looks at a glance: two that look the same are one to people, and a request in the second one would escape the
 * limit of the first (CATEGORY-2). Without accents, capitals, spaces and punctuation, and with `l`, `I`, `1` and `|`, or
 * `O` and `0`, as one.
 */
export function looksOf(category: string): string {
  // Twice, because both small sigmas have one capital.
  const folded = withoutAccents(category).toUpperCase().toLowerCase();
  const looks = folded.replaceAll(/[1il|]/g, 'l').replaceAll('0', 'o');
  return looks.replaceAll(/[^\p{L}\p{N}]/gu, '') || folded;
}

/** A letter of another alphabet among Latin ones, such as the Cyrillic `а`, which looks like the Latin one; or null. */
export function findForeignLetter(category: string): string | null {
  const plain = withoutAccents(category);
  if (!/[A-Za-z]/.test(plain)) return null;
  return new RegExp(`(?![${LATIN}])\\p{L}`, 'u').exec(plain)?.[0] ?? null;
}
