import { readFileSync } from 'node:fs';
import type { Font } from 'fontkit';

/** Geist (SIL Open Font License), as the pages show it. */
const FOLDER = new URL('./fonts/geist-sans/', import.meta.resolve('geist/font/sans'));
const FILES = { text: 'Geist-Regular.ttf', strong: 'Geist-SemiBold.ttf' } as const;
export type Weight = keyof typeof FILES;

let characters: Promise<ReadonlySet<number>> | undefined;
const files = new Map<Weight, Buffer>();

/** The font's file, read once. */
export function fontFile(weight: Weight): Buffer {
  const file = files.get(weight) ?? readFileSync(new URL(FILES[weight], FOLDER));
  files.set(weight, file);
  return file;
}

/** Those that the typeface can write, read once. */
export function readCharacters(): Promise<ReadonlySet<number>> {
  characters ??= import('fontkit').then(({ create }) => new Set((create(fontFile('text')) as Font).characterSet));
  return characters;
}

/**
 * The text with a question mark for each character that the typeface does not have (it has Latin and Cyrillic), on one line:
 * whatever letters a name has, the document opens and the rest of it can be read, selected and searched.
 */
export function writable(text: string, known: ReadonlySet<number>): string {
  const parts = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.normalize('NFC'))];
  return parts
    .map(({ segment }) => ([...segment].every((one) => known.has(one.codePointAt(0) ?? 0)) ? segment : '?'))
    .join('');
}
