/** Characters that people and phones put between and around digits: spaces, dashes, and signs that no one sees. */
const BETWEEN = /[\s\p{Pd}\p{Default_Ignorable_Code_Point}]+/gu;

/** The six digits that a person typed or pasted in any way, such as `123 456`, `123-456`, or full-width; null for other text. */
export function sixDigits(text: string): string | null {
  const code = text.normalize('NFKC').replaceAll(BETWEEN, '');
  return /^\d{6}$/.test(code) ? code : null;
}
