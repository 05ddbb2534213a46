import { invalid } from '@case-platform/lib/errors';
import { RECORD_LENGTH } from './layout.ts';

/** A file of 400,000 entries with addenda is smaller. */
const FILE_MAX_BYTES = 80 * 1024 * 1024;

/**
 * The records of a file, each of 94 characters: lines ended by LF or CRLF, blanks at their ends lost or not, or no line ends
 * at all. @throws {InvalidInputError} for anything that is not such a file.
 */
export function splitRecords(text: string): string[] {
  if (text.length > FILE_MAX_BYTES) throw invalid('file', 'This file is too large.');
  const trimmed = text.replace(/^\uFEFF/, '').trimEnd();
  const lines = /[\r\n]/.test(trimmed) ? trimmed.split(/\r\n|\n|\r/) : cut(trimmed);
  const records = lines.map((line) => line.padEnd(RECORD_LENGTH, ' '));
  const wrong = records.findIndex((record) => record.length !== RECORD_LENGTH || !/^[156789][ -~]*$/.test(record));
  if (wrong >= 0) throw invalid('file', `Line ${wrong + 1} isn’t part of a NACHA file.`);
  if (records[0]?.[0] !== '1') throw invalid('file', 'A NACHA file begins with a file header.');
  return records;
}

function cut(text: string): string[] {
  return Array.from({ length: Math.max(1, Math.ceil(text.length / RECORD_LENGTH)) }, (_, index) =>
    text.slice(index * RECORD_LENGTH, (index + 1) * RECORD_LENGTH),
  );
}
