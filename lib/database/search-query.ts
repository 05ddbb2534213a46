import { compoundsOf, isUnspaced } from '../text/searched-words.ts';

/** More words would only make the search slower. */
const WORDS_MAX = 8;

interface TermOptions {
  /** The last word may be the beginning of a longer one. */
  isPrefix: boolean;
  /** A finds only words that were indexed with this weight. */
  weight?: 'A' | '';
}

/** Words that follow each other, as a literal of PostgreSQL's type `tsquery`; null without letters and digits. */
export function termQuery(text: string, options: TermOptions): string | null {
  const compounds = [...compoundsOf(text)];
  const phrase = compounds.flatMap(({ words }) => words).map((word, at, { length }) => lexeme(word, at === length - 1, options));
  const [only, another] = compounds;
  if (only === undefined) return null;
  const forms = [phrase.join(' <-> ')];
  if (another === undefined) {
    if (only.whole !== null) forms.push(lexeme(only.whole, true, options));
    // Rows that were not rewritten yet have words as they were written.
    const written = text.slice(only.start, only.end).normalize('NFC').toLowerCase();
    if (/[^\0-\x7F]/.test(written) && !/['\\]/.test(written)) forms.push(lexeme(written, true, options));
  }
  return forms.length === 1 ? forms.join('') : `(${forms.join(' | ')})`;
}

function lexeme(word: string, isLast: boolean, { isPrefix, weight = '' }: TermOptions): string {
  const prefix = isLast && (isPrefix || isUnspaced(word)) ? '*' : '';
  return prefix === '' && weight === '' ? `'${word}'` : `'${word}':${prefix}${weight}`;
}

/** The words of a search as they are typed, without those that have no letters and digits. */
export function listSearchWords(text: string): string[] {
  const words = text.split(/\s+/u).filter((word) => termQuery(word, { isPrefix: true }) !== null);
  return words.slice(0, WORDS_MAX);
}

/** All words of a text, each by its beginning (API-6). @returns null for a text without letters and digits. */
export function prefixQuery(text: string, weight: 'A' | '' = ''): string | null {
  const terms = listSearchWords(text).map((word) => `(${termQuery(word, { isPrefix: true, weight })})`);
  return terms.length === 0 ? null : terms.join(' & ');
}
