import { toAchText } from './ach-text.ts';

export const RECORD_LENGTH = 94;

/**
 * How a field is filled. `text`: to the left, blanks behind, cut when too long. `code`: the same, but too long is an error.
 * `number`: to the right, zeros before, too long is an error. `fixed`: always the same.
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

/** A record's layout; `type` is its first character. @throws when the widths do not make 94 characters. */
export function layout<Name extends string>(type: string, fields: readonly Field<Name>[]): Layout<Name> {
  const length = fields.reduce((sum, { width }) => sum + width, type.length);
  if (length !== RECORD_LENGTH) throw new Error(`record ${type} is ${length} characters long`);
  return { type, fields };
}

/** One record of 94 characters. @throws {RangeError} for a value that does not fit and must not be cut. */
export function writeRecord<Name extends string>({ type, fields }: Layout<Name>, values: RecordValues<Name>): string {
  const parts = fields.map((field) => (field.kind === 'fixed' ? field.value : write(field, values[field.name])));
  return type + parts.join('');
}

function write({ kind, name, width }: Exclude<Field, { kind: 'fixed' }>, value: string | number): string {
  if (kind === 'number') {
    const digits = String(value);
    if (!/^\d+$/.test(digits) || digits.length > width) throw new RangeError(`${name} does not fit ${width} digits`);
    return digits.padStart(width, '0');
  }
  const clean = kind === 'text' ? toAchText(String(value)) : String(value);
  if (kind === 'code' && (clean.length > width || !/^[ -~]*$/.test(clean)))
    throw new RangeError(`${name} does not fit ${width} characters`);
  return clean.slice(0, width).trimEnd().padEnd(width, ' ');
}

/** The fields of one record, without the blanks around them. */
export function readRecord<Name extends string>({ fields }: Layout<Name>, record: string): Record<Name, string> {
  const values: Partial<Record<Name, string>> = {};
  let start = 1;
  for (const field of fields) {
    if (field.kind !== 'fixed') values[field.name] = record.slice(start, start + field.width).trim();
    start += field.width;
  }
  return values as Record<Name, string>;
}
