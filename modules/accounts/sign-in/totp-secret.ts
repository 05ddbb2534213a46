import { type EncryptionKey, open, seal } from '@case-platform/lib/encryption';

/** Encrypts a base32 TOTP seed for one account (TWO-FACTOR-12). */
export function sealTotpSecret(encryptionKey: EncryptionKey, userId: number, secret: string): Buffer {
  return seal(encryptionKey, 'totp secret', secret, `user:${userId}`);
}

/** Decrypts the base32 TOTP seed of one account. @throws if it was encrypted for another account or with another key. */
export function openTotpSecret(encryptionKey: EncryptionKey, userId: number, ciphertext: Buffer): string {
  return open(encryptionKey, 'totp secret', ciphertext, `user:${userId}`);
}
