import { decrypt, deriveKey, encrypt } from '@case-platform/lib/encryption';

/** TOTP seeds are kept encrypted; each is bound to its account. */
const PURPOSE = 'totp secret';

/** Seals a base32 TOTP seed for one account. */
export function sealTotpSecret(encryptionKey: string, userId: number, secret: string): Buffer {
  return encrypt(deriveKey(encryptionKey, PURPOSE), secret, `user:${userId}`);
}

/** The base32 TOTP seed of one account. @throws when it was sealed for another, or with another key. */
export function openTotpSecret(encryptionKey: string, userId: number, sealed: Buffer): string {
  return decrypt(deriveKey(encryptionKey, PURPOSE), sealed, `user:${userId}`);
}
