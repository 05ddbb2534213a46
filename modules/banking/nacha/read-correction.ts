import type { AccountKind } from './records.ts';
import { readTransactionCode } from './records.ts';

/** What a bank says should be used instead. */
export interface Correction {
  routing_number?: string;
  account_number?: string;
  account_kind?: AccountKind;
  holder_name?: string;
  /** What the bank knows the payee by, for our next payments' reference. */
  identification?: string;
  /** What was said with a code that corrects nothing of an account. */
  other?: string;
}

type Part = [field: keyof Correction, start: number, end: number];

/**
 * Where the corrected data stand in their 29 characters (Nacha Operating Rules, Appendix Five). C08 and C14 are about
 * international entries, C10 to C12 about ourselves, C13 about the form of an addenda record: they correct no account.
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

/** What a notification of change says should be used instead; empty where it says nothing that can be read. */
export function readCorrection(code: string, corrected: string): Correction {
  const correction: Correction = {};
  for (const [field, start, end] of PARTS[code] ?? ANYWHERE) {
    const value = corrected.slice(start, end).trim();
    if (value === '') continue;
    if (field !== 'account_kind') {
      correction[field] = value;
      continue;
    }
    // A code of neither, such as a loan's, is no account that we pay to: nothing is made up for it.
    const kind = readTransactionCode(value)?.account_kind;
    if (kind !== undefined) correction.account_kind = kind;
  }
  return correction;
}
