import { invalid } from './errors.ts';

/** Parses one part of a cursor; undefined for a value that no cursor of the list contains. */
type PartReader<Part> = (part: unknown) => Part | undefined;
type PartReaders<Key extends readonly unknown[]> = { [At in keyof Key]: PartReader<Key[At]> };

/** The end of a page of a list, as clients send it back: opaque to them, and never trusted. */
export interface Cursor<Key extends readonly unknown[]> {
  write(...key: Key): string;
  /** @throws {InvalidInputError} on the field `cursor`, for anything that `write` does not return. */
  read(cursor: string): Key;
}

const FORMATS = {
  /** Parts without a colon, joined by one. */
  text: {
    join: (parts: readonly unknown[]) => parts.join(':'),
    split: (text: string): unknown => text.split(':'),
  },
  json: {
    join: (parts: readonly unknown[]) => JSON.stringify(parts),
    split: (text: string): unknown => JSON.parse(text),
  },
};

/** Defines the cursor of a list by the key of a row. Changing a format breaks lists that people are reading during an upgrade. */
export function defineCursor<Key extends readonly unknown[]>(
  format: keyof typeof FORMATS,
  ...readers: PartReaders<Key>
): Cursor<Key> {
  const { join, split } = FORMATS[format];
  const write = (...key: Key) => Buffer.from(join(key)).toString('base64url');
  const read = (cursor: string): Key => {
    const parts = splitBy(split, cursor);
    const key = readers.map((reader: PartReader<unknown>, at) => reader(parts[at])) as unknown as Key;
    if (parts.length !== readers.length || key.includes(undefined) || write(...key) !== cursor) {
      throw invalid('cursor', 'This cursor doesn’t belong to this list.');
    }
    return key;
  };
  return { write, read };
}

function splitBy(split: (text: string) => unknown, cursor: string): unknown[] {
  try {
    const parts = split(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** The cursor of a list that is ordered by id. @param word distinguishes the list from others. */
export function defineIdCursor(word: string): { write(id: number): string; read(cursor: string): number } {
  const cursor = defineCursor<[string, number]>('text', wordPart(word), idPart);
  return { write: (id) => cursor.write(word, id), read: (text) => cursor.read(text)[1] };
}

export function wordPart<Word extends string>(...words: readonly Word[]): PartReader<Word> {
  return (part) => words.find((word) => word === part);
}

/** An id, as a number or in digits. */
export function idPart(part: unknown): number | undefined {
  const id = typeof part === 'string' && /^[1-9]\d{0,15}$/.test(part) ? Number(part) : part;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** Text that PostgreSQL can hold. */
export function textPart(part: unknown): string | undefined {
  return typeof part === 'string' && !part.includes('\0') && part.isWellFormed() ? part : undefined;
}

const MOMENT = /^((?:19|20|21)\d\d-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00$/;

/** A moment in UTC with all its digits, as PostgreSQL writes a `timestamptz`: `2026-11-20 15:04:05.123456+00`. */
export function momentPart(part: unknown): string | undefined {
  const [moment, day, time] = (typeof part === 'string' ? MOMENT.exec(part) : null) ?? [];
  const at = new Date(`${day}T${time}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString() === `${day}T${time}.000Z` ? moment : undefined;
}
