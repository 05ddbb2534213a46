/** Letters and signs that Unicode does not take apart into an ASCII letter and a mark. */
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

/** Most texts: nothing to do. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Text as a NACHA file may hold it: printable ASCII on one line (Nacha Operating Rules, 'Character set'). Accents go, the
 * letters stay; what has no ASCII spelling is dropped, so that the result may be empty.
 */
export function toAchText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize('NFKD')
    .replaceAll(/[^ -~]/g, (sign) => SPELLINGS[sign] ?? (/\s/.test(sign) ? ' ' : ''))
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
