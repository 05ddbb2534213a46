import { invalid } from '../errors.ts';
import { cleanLine, cleanText, hasAddress, isFormula } from './human-text.ts';

/** A field of a form or a call. */
export interface TextField {
  /** The field of the error. */
  field: string;
  /** Its name in a sentence, such as "The name". */
  label: string;
  /** The most characters, counted in code points. */
  max: number;
  /** The error for a text without visible characters, which is accepted if this is not set. */
  empty?: string;
}

/** Returns a text of many lines. @throws {InvalidInputError} for one that is empty or too long. */
export function parseText(value: string, field: TextField): string {
  return requireLength(cleanText(value), field);
}

/** Returns a text on one line, such as a subject. @throws {InvalidInputError} for one that is empty or too long. */
export function parseLine(value: string, field: TextField): string {
  return requireLength(cleanLine(value), field);
}

/**
 * Returns a line that is a cell of its own in exports, such as a category. @throws as `parseLine`, and for a formula (ACCOUNT-4).
 */
export function parseCell(value: string, field: TextField): string {
  const text = parseLine(value, field);
  if (isFormula(text)) throw invalid(field.field, `${field.label} can’t start with ${text[0]}.`);
  return text;
}

/** Returns a name, which mails show. @throws as `parseCell`, and for one that a mail program makes a link of (EMAIL-12). */
export function parseName(value: string, field: TextField): string {
  const name = parseCell(value, field);
  if (hasAddress(name)) throw invalid(field.field, 'A name can’t contain a web or email address. Put a space after each period.');
  return name;
}

function requireLength(text: string, { field, label, max, empty }: TextField): string {
  if (text === '' && empty !== undefined) throw invalid(field, empty);
  if ([...text].length > max)
    throw invalid(field, `${label} can have up to ${String(max).replace(/\B(?=\d{3}$)/, ',')} characters.`);
  return text;
}
