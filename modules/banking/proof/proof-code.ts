import { timingSafeEqual } from 'node:crypto';
import { type EncryptionKey, keyedHashes } from '@case-platform/lib/encryption';

/** Without I, L, O and U, which are read as other signs (Crockford's base 32). */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DAY_MS = 86_400_000;
/** Codes count days from here; three signs last until 2109. */
const FIRST_DAY = Date.parse('2020-01-01');
const DAY_LENGTH = 3;
/** 65 bits: with wrong codes limited, nobody guesses one. */
const SEAL_LENGTH = 13;

/** What a code of a proof of funds states. */
export interface StatedFunds {
  case_id: number;
  amount_cents: number;
  /** The start of the day (UTC) on which it was stated. */
  made_at: Date;
}

/**
 * Writes the code of a proof of funds. It holds the whole statement and a keyed hash of it, so that nothing has to be stored. The same
 * statement on the same day has the same code.
 */
export function writeProofCode(secret: EncryptionKey, { case_id, amount_cents, made_at }: StatedFunds): string {
  const day = Math.floor((made_at.getTime() - FIRST_DAY) / DAY_MS);
  const caseSigns = toSigns(case_id);
  const statement = `${toSigns(day).padStart(DAY_LENGTH, '0')}${SIGNS[caseSigns.length]}${caseSigns}${toSigns(amount_cents)}`;
  const [seal = ''] = sealsOf(secret, statement);
  return (`${statement}${seal}`.match(/.{1,4}/g) ?? []).join('-');
}

/**
 * Reads a code as people type it: in small letters, without hyphens, with O for zero and I or L for one. A code that was sealed with a
 * previous secret is read as well.
 * @returns null for a code that `writeProofCode` did not write.
 */
export function readProofCode(secret: EncryptionKey, typed: string): StatedFunds | null {
  const code = typedSigns(typed);
  const statement = code.slice(0, -SEAL_LENGTH);
  const seal = Buffer.from(code.slice(-SEAL_LENGTH));
  const isSealed = sealsOf(secret, statement).some(
    (known) => seal.length === SEAL_LENGTH && timingSafeEqual(Buffer.from(known), seal),
  );
  if (!isSealed) return null;
  const caseEnd = DAY_LENGTH + 1 + SIGNS.indexOf(statement[DAY_LENGTH] ?? '');
  return {
    case_id: fromSigns(statement.slice(DAY_LENGTH + 1, caseEnd)),
    amount_cents: fromSigns(statement.slice(caseEnd)),
    made_at: new Date(FIRST_DAY + fromSigns(statement.slice(0, DAY_LENGTH)) * DAY_MS),
  };
}

/** The signs that somebody meant who typed a code. */
export function typedSigns(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^0-9A-Z]/g, '');
}

function sealsOf(secret: EncryptionKey, statement: string): string[] {
  return keyedHashes(secret, 'proof of funds', statement).map((hash) =>
    [...hash.subarray(0, SEAL_LENGTH)].map((byte) => SIGNS[byte % SIGNS.length]).join(''),
  );
}

function toSigns(number: number): string {
  const rest = Math.floor(number / SIGNS.length);
  return `${rest === 0 ? '' : toSigns(rest)}${SIGNS[number % SIGNS.length]}`;
}

function fromSigns(signs: string): number {
  return [...signs].reduce((number, sign) => number * SIGNS.length + SIGNS.indexOf(sign), 0);
}
