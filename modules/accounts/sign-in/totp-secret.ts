import { type EncryptionKey, open, seal } from '@case-platform/lib/encryption';

/** TOTP seeds are kept encrypted, each bound to its account: seals a base32 TOTP seed for one account. */
export function sealTotpSecret(encryptionKey: EncryptionKey, userId: number, secret: string): Buffer {
  return seal(encryptionKey, 'totp secret', secret, `user:${userId}`);
}

/** The base32 TOTP seed of one account. @throws when it was sealed for another, or with another key. */
export function openTotpSecret(encryptionKey: EncryptionKey, userId: number, sealed: Buffer): string {
  return open(encryptionKey, 'totp secret', sealed, `user:${userId}`);
}
