/** A code word as words: `photo_id` is "Photo ID". */
export function sentence(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .trim()
    .replace(/\bid\b/, 'ID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
