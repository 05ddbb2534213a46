import { type EncryptionKey, open, seal } from '@case-platform/lib/encryption';

/** Account numbers are stored encrypted, each bound to its owner (BANK-5). */
const KIND = 'bank account number';

/** The owner is part of the encryption, so a number that is copied to another row cannot be decrypted. */
type Owner = { user_id: number } | 'originating bank';

const contextOf = (owner: Owner) => (owner === 'originating bank' ? owner : `user:${owner.user_id}`);

export function createAccountSeal(encryptionKey: EncryptionKey) {
  return {
    seal: (owner: Owner, text: string): Buffer => seal(encryptionKey, KIND, text, contextOf(owner)),
    /** @throws when it was sealed for another owner, or with another key. */
    open: (owner: Owner, ciphertext: Buffer): string => open(encryptionKey, KIND, ciphertext, contextOf(owner)),
  };
}

export type AccountSeal = ReturnType<typeof createAccountSeal>;
