/** Typographic signs, and what people type for them on a phone. */
const PLAIN: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  '\u00A0': ' ',
  '\u202F': ' ',
};

/**
 * Replaces typographic signs by those of the GSM 7-bit alphabet (3GPP TS 23.038, section 6.2.1). A single other character halves the
 * length of each part of a text message, and doubles its price (SMS-4). Letters of names stay.
 */
export function gsmText(text: string): string {
  return text.replaceAll(/[‘’“”–—…\u00A0\u202F]/g, (sign) => PLAIN[sign] ?? sign);
}
