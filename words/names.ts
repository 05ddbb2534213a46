export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const last = words.length > 1 ? [...(words.at(-1) ?? '')][0] : undefined;
  return `${[...(words[0] ?? '?')][0]}${last ?? ''}`.toUpperCase();
}

/** "A", "A and B", "A, B and 3 more". */
export function namesInShort(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ');
  return `${names[0]}, ${names[1]} and ${names.length - 2} more`;
}
