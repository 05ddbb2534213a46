import type { AccountKind } from './records.ts';
import { readTransactionCode } from './records.ts';

/** The details that a bank says to use instead. */
export interface Correction {
  routing_number?: string;
  account_number?: string;
  account_kind?: AccountKind;
  holder_name?: string;
  /** The bank's identification of the payee, for the reference of our next payments. */
  identification?: string;
  /** The text that came with a code that does not correct an account. */
  other?: string;
}

type Part = [field: keyof Correction, start: number, end: number];

/**
 * Positions of the corrected values within their 29 characters (Nacha Operating Rules, Appendix Five). C08 and C14 are about
 * international entries, C10 to C12 about us as the originator, and C13 about the format of an addenda record, so none of them
 * corrects an account.
 */
const PARTS: Record<string, Part[]> = {
  C01: [['account_number', 0, 17]],
  C02: [['routing_number', 0, 9]],
  C03: [
    ['routing_number', 0, 9],
    ['account_number', 12, 29],
  ],
  C04: [['holder_name', 0, 22]],
  C05: [['account_kind', 0, 2]],
  C06: [
    ['account_number', 0, 17],
    ['account_kind', 20, 22],
  ],
  C07: [
    ['routing_number', 0, 9],
    ['account_number', 9, 26],
    ['account_kind', 26, 28],
  ],
  C09: [['identification', 0, 22]],
};
const ANYWHERE: Part[] = [['other', 0, 29]];

/** Reads the corrected values of a notification of change; empty if nothing in it can be read. */
export function readCorrection(code: string, text: string): Correction {
  const correction: Correction = {};
  for (const [field, start, end] of PARTS[code] ?? ANYWHERE) {
    const value = text.slice(start, end).trim();
    if (value === '') continue;
    if (field !== 'account_kind') {
      correction[field] = value;
      continue;
    }
    // Any other code, such as one for a loan, is not an account that we can pay, so it is ignored.
    const kind = readTransactionCode(value)?.account_kind;
    if (kind !== undefined) correction.account_kind = kind;
  }
  return correction;
}
