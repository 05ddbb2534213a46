import { toAchText } from './ach-text.ts';

export const RECORD_LENGTH = 94;

/**
 * How a field is filled. `text` is aligned left, padded with blanks, and cut when too long. `code` is the same, but too long is
 * an error. `number` is aligned right and padded with zeros, and too long is an error. `fixed` is always the same.
 */
export type Field<Name extends string = string> =
  | { kind: 'text' | 'code' | 'number'; name: Name; width: number }
  | { kind: 'fixed'; width: number; value: string };

export interface Layout<Name extends string = string> {
  type: string;
  fields: readonly Field<Name>[];
}

export type RecordValues<Name extends string> = Record<Name, string | number>;

export const text = <Name extends string>(name: Name, width: number): Field<Name> => ({ kind: 'text', name, width });
export const code = <Name extends string>(name: Name, width: number): Field<Name> => ({ kind: 'code', name, width });
export const number = <Name extends string>(name: Name, width: number): Field<Name> => ({
  kind: 'number',
  name,
  width,
});
export const fixed = (value: string): Field<never> => ({ kind: 'fixed', width: value.length, value });
export const blank = (width: number): Field<never> => fixed(' '.repeat(width));

/** A record's layout; `type` is its first character. @throws when the widths do not add up to 94 characters. */
export function layout<Name extends string>(type: string, fields: readonly Field<Name>[]): Layout<Name> {
  const length = fields.reduce((sum, { width }) => sum + width, type.length);
  if (length !== RECORD_LENGTH) throw new Error(`record ${type} is ${length} characters long`);
  return { type, fields };
}

/**
 * Writes one record of 94 characters into `bytes`, starting at `at`, without building a string first.
 * @throws {RangeError} for a value that does not fit and must not be cut.
 */
export function writeRecord<Name extends string>(
  bytes: Buffer,
  at: number,
  { type, fields }: Layout<Name>,
  values: RecordValues<Name>,
): void {
  bytes.fill(BLANK, at, at + RECORD_LENGTH);
  bytes.write(type, at, 'latin1');
  let start = at + type.length;
  for (const field of fields) {
    if (field.kind === 'fixed') bytes.write(field.value, start, 'latin1');
    else write(bytes, start, field, values[field.name]);
    start += field.width;
  }
}

const BLANK = 0x20;
const ZERO = 0x30;

function write(
  bytes: Buffer,
  start: number,
  { kind, name, width }: Exclude<Field, { kind: 'fixed' }>,
  value: string | number,
): void {
  const text = kind === 'text' ? toAchText(String(value)) : String(value);
  if (kind === 'number') {
    if (!DIGITS.test(text) || text.length > width) throw new RangeError(`${name} does not fit ${width} digits`);
    bytes.fill(ZERO, start, start + width - text.length);
    bytes.write(text, start + width - text.length, 'latin1');
    return;
  }
  if (kind === 'code' && (text.length > width || !PRINTABLE.test(text)))
    throw new RangeError(`${name} does not fit ${width} characters`);
  bytes.write(text, start, width, 'latin1');
}

const DIGITS = /^\d+$/;
const PRINTABLE = /^[ -~]*$/;

/** Reads the fields of one record, without the blanks around them. */
export function readRecord<Name extends string>({ fields }: Layout<Name>, record: string): Record<Name, string> {
  const values: Partial<Record<Name, string>> = {};
  let start = 1;
  for (const field of fields) {
    if (field.kind !== 'fixed') values[field.name] = record.slice(start, start + field.width).trim();
    start += field.width;
  }
  return values as Record<Name, string>;
}
