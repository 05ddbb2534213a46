import { decrypt, deriveKey, encrypt } from '@case-platform/lib/encryption';

/** Account numbers are kept encrypted (decisions, section 1: `ENCRYPTION_KEY`); each is bound to whose it is. */
const PURPOSE = 'bank account number';

/** Whom a number belongs to: moved to another row, it does not open. */
type Owner = { user_id: number } | 'originating bank';

const contextOf = (owner: Owner) => (owner === 'originating bank' ? owner : `user:${owner.user_id}`);

/** Seals and opens account numbers with a key that is derived once. */
export function createAccountSeal(encryptionKey: string) {
  const key = deriveKey(encryptionKey, PURPOSE);
  return {
    seal: (owner: Owner, text: string): Buffer => encrypt(key, text, contextOf(owner)),
    /** @throws when it was sealed for another owner, or with another key. */
    open: (owner: Owner, sealed: Buffer): string => decrypt(key, sealed, contextOf(owner)),
  };
}

export type AccountSeal = ReturnType<typeof createAccountSeal>;
