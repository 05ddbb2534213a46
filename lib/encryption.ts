import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key for one purpose from a long secret (HKDF, RFC 5869), so that two purposes never share one. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/**
 * AES-256-GCM (NIST SP 800-38D). `context` names the row that the value belongs to: moved to another, it does not open.
 * @returns nonce, tag and ciphertext, in this order.
 */
function encrypt(key: Buffer, plaintext: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws when key or context are not the ones it was encrypted with, or it was changed. */
export function decrypt(key: Buffer, sealed: Buffer, context: string): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/** The secret that seals, and after it those that only open what they sealed before (`ENCRYPTION_KEY_PREVIOUS`). */
export type EncryptionKey = string | readonly [current: string, ...previous: string[]];

/** What is sealed, each kind with a key of its own. */
export type SealedKind = 'totp secret' | 'bank account number' | 'bank file' | 'bank return file';

/** Seals with the current secret. `context` names the row, as for `encrypt`. */
export function seal(secret: EncryptionKey, kind: SealedKind, plaintext: string, context: string): Buffer {
  const [current] = secretsOf(secret);
  return encrypt(deriveKey(current, kind), plaintext, context);
}

/** @throws when none of the secrets has sealed it, it belongs to another row, or it was changed. */
export function open(secret: EncryptionKey, kind: SealedKind, sealed: Buffer, context: string): string {
  const [current, ...previous] = secretsOf(secret);
  for (const known of previous) {
    try {
      return decrypt(deriveKey(known, kind), sealed, context);
    } catch {
      // Another one's, most likely the current one's: which says so itself where it is nobody's.
    }
  }
  return decrypt(deriveKey(current, kind), sealed, context);
}

/** Sealed anew with the current secret; null where it is already. @throws as `open`. */
export function sealAnew(secret: EncryptionKey, kind: SealedKind, sealed: Buffer, context: string): Buffer | null {
  const [current] = secretsOf(secret);
  try {
    decrypt(deriveKey(current, kind), sealed, context);
    return null;
  } catch {
    return seal(secret, kind, open(secret, kind, sealed, context), context);
  }
}

/** The purposes that have a hash key of their own. */
type HashedKind = 'backup code' | 'one-time code' | 'proof of funds';

/** The keyed hashes of a text, the current secret's first: what was kept as one of them is the same text. */
export function keyedHashes(secret: EncryptionKey, purpose: HashedKind, text: string): Buffer[] {
  return secretsOf(secret).map((known) => createHmac('sha256', deriveKey(known, purpose)).update(text).digest());
}

function secretsOf(secret: EncryptionKey): readonly [string, ...string[]] {
  return typeof secret === 'string' ? [secret] : secret;
}
