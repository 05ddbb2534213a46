import { timingSafeEqual } from 'node:crypto';
import { type EncryptionKey, keyedHashes } from '@case-platform/lib/encryption';

/** Crockford's base 32 leaves out I, L, O, and U, which are easily misread. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MINUTE_MS = 60_000;
/** Codes count minutes from here. Five characters last until 2083. */
const FIRST_MINUTE = Date.parse('2020-01-01');
const MINUTE_LENGTH = 5;
/** Added to the length of the case's number if the id of the proof follows it. */
const WITH_ID = 16;
/** Each character has five bits, so a seal has 80 bits. */
const SEAL_LENGTH = 16;

/** The facts that the code of a proof of funds contains. */
export interface StatedFunds {
  /** The id of a proof that was issued to someone; null for one that is not recorded. */
  id: number | null;
  case_id: number;
  amount_cents: number;
  /** The start of the minute in which the amount was stated. */
  made_at: Date;
}

/**
 * Writes the code of a proof of funds. It contains the whole statement and a keyed hash of it, so that nothing has to be stored
 * (PROOF-2). The same statement in the same minute has the same code.
 */
export function writeProofCode(secret: EncryptionKey, { id, case_id, amount_cents, made_at }: StatedFunds): string {
  const minute = Math.floor((made_at.getTime() - FIRST_MINUTE) / MINUTE_MS);
  const caseSigns = toSigns(case_id);
  const idSigns = id === null ? '' : toSigns(id);
  const lengths = SIGNS[caseSigns.length + (id === null ? 0 : WITH_ID)];
  const numbers = `${lengths}${caseSigns}${id === null ? '' : SIGNS[idSigns.length]}${idSigns}${toSigns(amount_cents)}`;
  const statement = `${toSigns(minute).padStart(MINUTE_LENGTH, '0')}${numbers}`;
  const [seal = ''] = sealsOf(secret, statement);
  return (`${statement}${seal}`.match(/.{1,4}/g) ?? []).join('-');
}

/**
 * Reads a code as people type it: in lowercase, without hyphens, with O for zero, and with I or L for one. Codes sealed with a
 * previous secret are accepted, too (OPERATE-3).
 * @returns null for a code that `writeProofCode` did not write.
 */
export function readProofCode(secret: EncryptionKey, typed: string): StatedFunds | null {
  const code = typedSigns(typed);
  const statement = code.slice(0, -SEAL_LENGTH);
  const seal = Buffer.from(code.slice(-SEAL_LENGTH));
  const isSealed = sealsOf(secret, statement).some(
    (expected) => seal.length === SEAL_LENGTH && timingSafeEqual(Buffer.from(expected), seal),
  );
  if (!isSealed) return null;
  const lengths = SIGNS.indexOf(statement[MINUTE_LENGTH] ?? '');
  const hasId = lengths >= WITH_ID;
  const caseEnd = MINUTE_LENGTH + 1 + (hasId ? lengths - WITH_ID : lengths);
  const idEnd = hasId ? caseEnd + 1 + SIGNS.indexOf(statement[caseEnd] ?? '') : caseEnd;
  return {
    id: hasId ? fromSigns(statement.slice(caseEnd + 1, idEnd)) : null,
    case_id: fromSigns(statement.slice(MINUTE_LENGTH + 1, caseEnd)),
    amount_cents: fromSigns(statement.slice(idEnd)),
    made_at: new Date(FIRST_MINUTE + fromSigns(statement.slice(0, MINUTE_LENGTH)) * MINUTE_MS),
  };
}

/** Corrects the characters that people commonly mistype. */
function typedSigns(code: string): string {
  return code
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
