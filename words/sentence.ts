/** A code in words: `photo_id` becomes "Photo ID". */
export function sentence(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .trim()
    .replace(/\bid\b/, 'ID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Parts of a sentence: "a", "a and b", or "a, b and c". */
export function listInWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
