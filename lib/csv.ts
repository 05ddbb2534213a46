import { cleanLine, isFormula } from './text/human-text.ts';

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Writes a CSV file (RFC 4180) in UTF-8 with a byte order mark; the first row is the header. A cell that a spreadsheet would run
 * as a formula gets an apostrophe in front, unless it is a number (STATEMENT-3).
 */
export function csvFile(rows: readonly (readonly (string | number | null)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  const text = cleanLine(String(value ?? ''));
  const safe = isFormula(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
