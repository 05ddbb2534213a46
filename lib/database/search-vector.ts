import { compoundsOf } from '../text/searched-words.ts';

/** The value of `search_version` for rows whose `search` was made here. A change of the form of words increases it. */
export const SEARCH_VERSION = 1;

/** A text to index. Readers who may search names only find the words of weight A. */
export interface IndexedText {
  text: string;
  weight: 'A' | '';
}

/** The words of texts with their positions, as a literal of PostgreSQL's type `tsvector`. */
export function searchVector(...texts: readonly (IndexedText | string)[]): string {
  const positions = new Map<string, string[]>();
  let last = 0;
  for (const each of texts) {
    const { text, weight } = typeof each === 'string' ? { text: each, weight: '' } : each;
    const add = (word: string, at: number) => {
      const list = positions.get(word) ?? [];
      list.push(`${at}${weight}`);
      positions.set(word, list);
    };
    for (const { words, whole } of compoundsOf(text)) {
      const first = last + 1;
      for (const word of words) add(word, ++last);
      // At both ends, so that phrases with the words on either side contain it.
      if (whole !== null) for (const at of new Set([first, last])) add(whole, at);
    }
  }
  return [...positions].map(([word, list]) => `'${word}':${list.join(',')}`).join(' ');
}
