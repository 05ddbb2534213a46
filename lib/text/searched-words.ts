/**
 * The form in which text is searched. PostgreSQL's own parser depends on the locale of the database, and takes `“` or `•` for
 * letters in some. So texts and searches are split into words here, and PostgreSQL only compares these (API-6).
 */

/** A longer word is found by its beginning. PostgreSQL rejects words of more than 2,046 bytes. */
const LETTERS_MAX = 64;
const APOSTROPHES =
  "'\\u2018\\u2019\\u201B\\u2032\\u02B9-\\u02BF\\u02C8\\u02CA\\u02CB\\u055A\\u05F3\\uA78B\\uA78C\\uFF07`\\u00B4";
const HYPHENS = '\\-\\u058A\\u05BE\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D';
/** Fractions such as ½ are neither letters nor a number in digits. */
const FRACTIONS = '\\u00BC-\\u00BE\\u2150-\\u215F\\u2189';
/** Letters with their marks, and digits; invisible characters do not separate. */
const PART = `(?:(?![${APOSTROPHES}${FRACTIONS}])[\\p{L}\\p{M}\\p{N}])(?:(?![${APOSTROPHES}${HYPHENS}${FRACTIONS}])[\\p{L}\\p{M}\\p{N}\\p{Default_Ignorable_Code_Point}])*`;
/** A word, or several that apostrophes or hyphens join. */
const COMPOUND = new RegExp(`${PART}(?:[${APOSTROPHES}${HYPHENS}]${PART})*`, 'gu');
const PARTS = new RegExp(PART, 'gu');
const BETWEEN = /[^\p{L}\p{M}\p{N}]+/gu;
const IS_ASCII = /^[\0-\x7F]*$/;
/**
 * Invisible characters, accents, and the vowel signs of Hebrew and Arabic, which most people leave out. Vowel signs of other
 * scripts, and the marks of kana, are like letters.
 */
const NOT_LETTERS =
  /\p{Default_Ignorable_Code_Point}|\u0640|(?![\u3099\u309A])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu;
/** Letters that Unicode does not divide into a letter and an accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
  ŋ: 'n',
};
const TO_REPLACE = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
/** Scripts without spaces between words, or with few: any two neighboring signs are a word of the index. */
const UNSPACED =
  /([\p{Ideographic}\p{Script=Hangul}\p{scx=Hira}\p{scx=Kana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Yi}]+)/u;

/** A word as it is written, such as "O'Brien". */
export interface Compound {
  /** Its parts in the form in which they are compared: "o", "brien". */
  words: string[];
  /** All of it as one word, if apostrophes or hyphens join several: "obrien". */
  whole: string | null;
  /** Its place in the text. */
  start: number;
  end: number;
}

/** Without case, accents, ligatures, and invisible characters, and with one form of each letter (NFKC). */
function fold(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(NOT_LETTERS, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(TO_REPLACE, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC');
}

/** Splits a text into words. */
export function* compoundsOf(text: string): Generator<Compound> {
  for (const { 0: compound, index } of text.matchAll(COMPOUND)) {
    const parts = compound.match(PARTS) ?? [];
    const words = parts.flatMap(wordsOfPart);
    if (words.length === 0) continue;
    const whole = parts.length > 1 ? shorten(fold(parts.join('')).replaceAll(BETWEEN, '')) : null;
    yield { words, whole, start: index, end: index + compound.length };
  }
}

function wordsOfPart(part: string): string[] {
  return fold(part)
    .split(BETWEEN)
    .flatMap((word) => word.split(UNSPACED))
    .flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [shorten(run)]))
    .filter((word) => word !== '');
}

/** "ABC" becomes "AB", "BC", "C". */
function pairsOf(run: string): string[] {
  const signs = [...run];
  return signs.map((sign, at) => sign + (signs[at + 1] ?? ''));
}

function shorten(word: string): string {
  return word.length <= LETTERS_MAX ? word : [...word].slice(0, LETTERS_MAX).join('');
}

/** Whether a word belongs to a script without spaces, so that another one may follow it in the same run. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/** Finds the words of a search in a text: the places of all words that begin with one of them. */
export function* findWords(text: string, search: string): Generator<{ start: number; end: number }> {
  const forms = [...compoundsOf(search)].flatMap(formsOf);
  const runs = (search.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(fold).filter(isUnspaced);
  for (const compound of compoundsOf(text)) {
    if (!formsOf(compound).some((word) => forms.some((each) => word.startsWith(each)))) continue;
    const { start, end } = compound;
    const run = fold(text.slice(start, end));
    const part = runs.find((each) => run.length === end - start && run.includes(each));
    if (part === undefined) yield { start, end };
    else yield { start: start + run.indexOf(part), end: start + run.indexOf(part) + part.length };
  }
}

function formsOf({ words, whole }: Compound): string[] {
  return whole === null ? words : [...words, whole];
}
