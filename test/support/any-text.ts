import fc from 'fast-check';

/** A word in each of 23 scripts. */
const WORDS = [
  'Łódź-Straße Ελλάδα Привет שָׁלוֹם مُحَمَّد می‌خواهم हिन्दी বাংলা ગુજરાતી தமிழ் తెలుగు ಕನ್ನಡ മലയാളം සිංහල ภาษาไทย',
  'ລາວ မြန်မာ ខ្មែរ 한국어 日本語のテキスト 我喜欢中文课 ქართული Հայերեն አማርኛ བོད་ཡིག',
]
  .join(' ')
  .split(' ');
/** Characters that phones, keyboards, and copied text bring along. */
const SIGNS = [
  ...' -’“”/.@_•—😀½ﬁß１',
  '\u00A0',
  '\u200B',
  '\u202E',
  '\u0301',
  '\u2800',
  '\uFE0F',
  '\u{E0100}',
  '\n',
  '\uFEFF',
  '\u{1F3F4}',
];

/** Texts in all scripts, with signs between, before, and after words. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...SIGNS), fc.string({ unit: 'grapheme-ascii', maxLength: 3 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((units) => units.join(''));
