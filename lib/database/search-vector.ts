import { compoundsOf } from '../text/searched-words.ts';

/** The value of `search_version` for rows whose `search` was made here. A change of the form of words increases it. */
export const SEARCH_VERSION = 2;

/** A text to index. Readers who may search names only find the words of weight A. */
export interface IndexedText {
  text: string;
  weight: 'A' | '';
}

/** The word for an amount in cents. No typed word has a dollar sign, so it is found by the whole amount only. */
export function amountWord(cents: number): string {
  return `$${cents}`;
}

/**
 * The words of texts with their positions, as a literal of PostgreSQL's type `tsvector`.
 * @param texts a number is an amount in cents.
 */
export function searchVector(...texts: readonly (IndexedText | string | number)[]): string {
  const positions = new Map<string, string[]>();
  let last = 0;
  for (const each of texts) {
    const { text, weight } = typeof each === 'object' ? each : { text: String(each), weight: '' };
    const add = (word: string, at: number) => {
      const list = positions.get(word) ?? [];
      list.push(`${at}${weight}`);
      positions.set(word, list);
    };
    if (typeof each === 'number') add(amountWord(each), ++last);
    else
      for (const { words, whole } of compoundsOf(text)) {
        const first = last + 1;
        for (const word of words) add(word, ++last);
        // At both ends, so that phrases with the words on either side contain it.
        if (whole !== null) for (const at of new Set([first, last])) add(whole, at);
      }
  }
  return [...positions].map(([word, list]) => `'${word}':${list.join(',')}`).join(' ');
}
