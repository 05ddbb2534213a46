import { isFormula, oneLine } from './human-text.ts';

/** What makes spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * A CSV file (RFC 4180): UTF-8 with a byte order mark, a header row first. No cell is one that a spreadsheet runs: what begins
 * like a formula and is no number gets an apostrophe in front (STATEMENT-3).
 */
export function csvFile(rows: readonly (readonly (string | number | null)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  const text = oneLine(String(value ?? ''));
  const shown = isFormula(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
