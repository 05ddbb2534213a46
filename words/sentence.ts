/** A code in words: `photo_id` becomes "Photo ID". */
export function sentence(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .trim()
    .replace(/\bid\b/, 'ID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
