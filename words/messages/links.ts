/** A part of a text, with the address that it links to, if it is one. */
export interface TextPart {
  text: string;
  href: string | null;
}

/** Typographic quotes end an address; a plain apostrophe or bracket may be part of it. */
const ADDRESS = /(https?:\/\/[^\s<>"“”„«»‹›]+)/gi;
const PUNCTUATION = new Set(`.,;:!?'’…。，、；：！？`);
const BRACKETS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '）': '（', '」': '「' };

/**
 * Splits a text at its web addresses. The punctuation after an address is not part of it, and neither is a closing bracket that
 * was not opened inside it: `(see https://example.test/Surrogacy_(law))`.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  for (const [index, piece] of text.split(ADDRESS).entries()) {
    const address = index % 2 === 1 ? withoutPunctuation(piece) : '';
    const isAddress = URL.canParse(address);
    if (isAddress) parts.push({ text: address, href: address });
    const rest = isAddress ? piece.slice(address.length) : piece;
    if (rest !== '') parts.push({ text: rest, href: null });
  }
  return parts;
}

function withoutPunctuation(address: string): string {
  const counts = new Map<string, number>();
  for (const character of address) counts.set(character, (counts.get(character) ?? 0) + 1);
  let end = address.length;
  for (; end > 0; end--) {
    const last = address.charAt(end - 1);
    const opening = BRACKETS[last];
    const closes = opening !== undefined && (counts.get(last) ?? 0) > (counts.get(opening) ?? 0);
    if (!PUNCTUATION.has(last) && !closes) break;
    counts.set(last, (counts.get(last) ?? 0) - 1);
  }
  return address.slice(0, end);
}
