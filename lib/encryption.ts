import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key for one purpose from a long secret (HKDF, RFC 5869), so that two purposes never share one. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/**
 * AES-256-GCM (NIST SP 800-38D). `context` names the row that the value belongs to: in another row it cannot be decrypted.
 * @returns nonce, tag, and ciphertext, in this order.
 */
function encrypt(key: Buffer, plaintext: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws if the key or context is a different one, or the value was changed. */
export function decrypt(key: Buffer, ciphertext: Buffer, context: string): string {
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return decipher.update(ciphertext.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/** The secret that encrypts, followed by those that only decrypt what they encrypted before (`ENCRYPTION_KEY_PREVIOUS`). */
export type EncryptionKey = string | readonly [current: string, ...previous: string[]];

/** The kinds of encrypted values; each has its own key. */
export type SealedKind = 'totp secret' | 'bank account number' | 'bank file' | 'bank return file';

/** Encrypts with the current secret. `context` names the row, as for `encrypt`. */
export function seal(secret: EncryptionKey, kind: SealedKind, plaintext: string, context: string): Buffer {
  const [current] = secretsOf(secret);
  return encrypt(deriveKey(current, kind), plaintext, context);
}

/** @throws if none of the secrets encrypted the value, it belongs to another row, or it was changed. */
export function open(secret: EncryptionKey, kind: SealedKind, ciphertext: Buffer, context: string): string {
  const [current, ...previous] = secretsOf(secret);
  for (const candidate of previous) {
    try {
      return decrypt(deriveKey(candidate, kind), ciphertext, context);
    } catch {
      // Most likely the current secret encrypted it, which is tried last and throws if it did not.
    }
  }
  return decrypt(deriveKey(current, kind), ciphertext, context);
}

/** Encrypts a value again with the current secret; null if that encrypted it already. @throws as `open`. */
export function reencrypt(secret: EncryptionKey, kind: SealedKind, ciphertext: Buffer, context: string): Buffer | null {
  const [current] = secretsOf(secret);
  try {
    decrypt(deriveKey(current, kind), ciphertext, context);
    return null;
  } catch {
    return seal(secret, kind, open(secret, kind, ciphertext, context), context);
  }
}

/** The purposes with their own hash key. */
type HashedKind = 'backup code' | 'one-time code' | 'proof of funds';

/** The keyed hashes of a text, that of the current secret first. A stored hash of the same text is one of them. */
export function keyedHashes(secret: EncryptionKey, purpose: HashedKind, text: string): Buffer[] {
  return secretsOf(secret).map((one) => createHmac('sha256', deriveKey(one, purpose)).update(text).digest());
}

function secretsOf(secret: EncryptionKey): readonly [string, ...string[]] {
  return typeof secret === 'string' ? [secret] : secret;
}
