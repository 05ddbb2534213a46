import type { AccountKind } from './records.ts';
import { readTransactionCode } from './records.ts';

/** What a bank says should be used instead. */
export interface Correction {
  routing_number?: string;
  account_number?: string;
  account_kind?: AccountKind;
}

type Part = [field: keyof Correction, start: number, end: number];

/** Where the corrected data stand in their 29 characters (Nacha Operating Rules, Appendix Five). */
const PARTS: Record<string, Part[]> = {
  C01: [['account_number', 0, 17]],
  C02: [['routing_number', 0, 9]],
  C03: [
    ['routing_number', 0, 9],
    ['account_number', 12, 29],
  ],
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
};

/** The corrected fields of a notification of change; empty for a code that corrects none of them. */
export function readCorrection(code: string, corrected: string): Correction {
  const correction: Correction = {};
  for (const [field, start, end] of PARTS[code] ?? []) {
    const value = corrected.slice(start, end).trim();
    if (value === '') continue;
    if (field !== 'account_kind') correction[field] = value;
    else correction.account_kind = readTransactionCode(value)?.account_kind ?? 'checking';
  }
  return correction;
}
