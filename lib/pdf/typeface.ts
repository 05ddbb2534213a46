import { readFileSync } from 'node:fs';
import type { Font } from 'fontkit';

/** Geist (SIL Open Font License), the typeface of the pages. */
const FOLDER = new URL('./fonts/geist-sans/', import.meta.resolve('geist/font/sans'));
const FILES = { text: 'Geist-Regular.ttf', strong: 'Geist-SemiBold.ttf' } as const;
export type Weight = keyof typeof FILES;

let characters: Promise<ReadonlySet<number>> | undefined;
const files = new Map<Weight, Buffer>();

export function fontFile(weight: Weight): Buffer {
  const file = files.get(weight) ?? readFileSync(new URL(FILES[weight], FOLDER));
  files.set(weight, file);
  return file;
}

/** The characters that the typeface can write. */
export function readCharacters(): Promise<ReadonlySet<number>> {
  characters ??= import('fontkit').then(({ create }) => new Set((create(fontFile('text')) as Font).characterSet));
  return characters;
}

/**
 * Replaces each character that the typeface lacks (it has Latin and Cyrillic) with a question mark (STATEMENT-6). The document
 * opens with any name, and the rest of the text can be read, selected, and searched.
 */
export function writable(text: string, supported: ReadonlySet<number>): string {
  const parts = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.normalize('NFC'))];
  return parts
    .map(({ segment }) => ([...segment].every((one) => supported.has(one.codePointAt(0) ?? 0)) ? segment : '?'))
    .join('');
}
