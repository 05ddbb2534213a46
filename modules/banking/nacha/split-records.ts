import { invalid } from '@case-platform/lib/errors';
import { RECORD_LENGTH } from './layout.ts';

/** A file of 400,000 entries with addenda is smaller. An uploaded file has a lower limit (`RETURN_FILE_MAX_BYTES`). */
const FILE_MAX_CHARACTERS = 80 * 1024 * 1024;

/**
 * The shortest record after its trailing blanks were lost is a file header, which always fills 40 characters. A shorter line is
 * rejected before it is padded: ten megabytes of lines of one character would otherwise become a gigabyte of records.
 */
const SHORTEST_RECORD = 40;

/** Banks and mail programs add blanks, the end-of-file sign of DOS, and fill of zero bytes, which mean nothing. */
const MEANINGLESS = new Set([' ', '\t', '\f', '\v', '\0', '\x1A', '\r', '\n']);
/** A UTF-8 byte order mark, as one character or as three bytes. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\u00EF\u00BB\u00BF)/;
/** A line for the bank's transmission program, such as `$$ADD ID=…`. */
const TRANSMISSION_LINE = '$$';

/**
 * Splits a NACHA file into its records of 94 characters. Lines may end with LF or any number of CR, may have lost their trailing
 * blanks or gained some, or may not be separated at all. Lines without content and lines of the transmission program are skipped,
 * and not counted. Reads each character a fixed number of times and stops at the first line that is not a record.
 * @returns at most 94/40 times as many characters as `text` has.
 * @throws {InvalidInputError} for anything that is not such a file.
 */
export function splitRecords(text: string): string[] {
  if (text.length > FILE_MAX_CHARACTERS) throw invalid('file', 'This file is too large.');
  const content = trimmed(text.replace(BYTE_ORDER_MARK, ''));
  const records: string[] = [];
  for (const piece of /[\r\n]/.test(content) ? linesOf(content) : piecesOf(content)) {
    const line = withoutEnd(piece);
    if (line === '' || line.startsWith(TRANSMISSION_LINE)) continue;
    const record = line.padEnd(RECORD_LENGTH, ' ');
    if (line.length < SHORTEST_RECORD || record.length !== RECORD_LENGTH || !/^[156789][ -~]*$/.test(record))
      throw invalid('file', `Line ${records.length + 1} isn’t part of a NACHA file.`);
    records.push(record);
  }
  if (records[0]?.[0] !== '1') throw invalid('file', 'A NACHA file begins with a file header.');
  return records;
}

function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && MEANINGLESS.has(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

function trimmed(text: string): string {
  let start = 0;
  while (start < text.length && MEANINGLESS.has(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start));
}

function* linesOf(text: string): Generator<string> {
  const ends = /[\r\n]+|$/g;
  for (let start = 0; start <= text.length; start = ends.lastIndex) {
    ends.lastIndex = start;
    const end = ends.exec(text);
    if (end === null) return;
    yield text.slice(start, end.index);
    if (end[0] === '') return;
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < Math.max(1, text.length); start += RECORD_LENGTH) yield text.slice(start, start + RECORD_LENGTH);
}
