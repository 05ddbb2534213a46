/** Characters that Unicode does not decompose into an ASCII letter and a mark. */
const SPELLINGS: Record<string, string> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'n',
  Ŋ: 'N',
  '‘': "'",
  '’': "'",
  ʼ: "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '−': '-',
  '‐': '-',
  '‑': '-',
};

/** Most texts are already plain ASCII and need no work. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Converts text to what a NACHA file may contain: printable ASCII on one line (Nacha Operating Rules, 'Character set'). Letters
 * lose their accents. Characters without an ASCII spelling are dropped, so the result can be empty.
 */
export function toAchText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize('NFKD')
    .replaceAll(/[^ -~]/g, (sign) => SPELLINGS[sign] ?? (/\s/.test(sign) ? ' ' : ''))
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
