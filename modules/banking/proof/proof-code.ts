import { timingSafeEqual } from 'node:crypto';
import { type EncryptionKey, keyedHashes } from '@case-platform/lib/encryption';

/** Without I, L, O and U, which are read as other signs (Crockford's base 32). */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MINUTE_MS = 60_000;
/** Codes count minutes from here. Five signs last until 2083. */
const FIRST_MINUTE = Date.parse('2020-01-01');
const MINUTE_LENGTH = 5;
/** Each sign is five bits, so that a seal has 80 bits. */
const SEAL_LENGTH = 16;

/** The facts that the code of a proof of funds contains. */
export interface StatedFunds {
  case_id: number;
  amount_cents: number;
  /** The start of the minute in which it was stated. */
  made_at: Date;
}

/**
 * Writes the code of a proof of funds. It holds the whole statement and a keyed hash of it, so that nothing has to be stored. The same
 * statement in the same minute has the same code.
 */
export function writeProofCode(secret: EncryptionKey, { case_id, amount_cents, made_at }: StatedFunds): string {
  const minute = Math.floor((made_at.getTime() - FIRST_MINUTE) / MINUTE_MS);
  const caseSigns = toSigns(case_id);
  const statement = `${toSigns(minute).padStart(MINUTE_LENGTH, '0')}${SIGNS[caseSigns.length]}${caseSigns}${toSigns(amount_cents)}`;
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
  const caseEnd = MINUTE_LENGTH + 1 + SIGNS.indexOf(statement[MINUTE_LENGTH] ?? '');
  return {
    case_id: fromSigns(statement.slice(MINUTE_LENGTH + 1, caseEnd)),
    amount_cents: fromSigns(statement.slice(caseEnd)),
    made_at: new Date(FIRST_MINUTE + fromSigns(statement.slice(0, MINUTE_LENGTH)) * MINUTE_MS),
  };
}

/** The signs that somebody meant who typed a code. */
function typedSigns(typed: string): string {
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
