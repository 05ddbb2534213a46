import { type Algorithm, hash, verify } from '@node-rs/argon2';

/** argon2id with 19 MiB, two passes, one lane: OWASP's Password Storage Cheat Sheet, 2025. */
const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed, in characters: a longer one is refused before it costs anything. */
export const PASSWORD_MAX = 256;

/** A hash of random bytes, compared against when there is no account, so that both cases take the same time. */
let nobodysHash: Promise<string> | undefined;

/** The string to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), PARAMETERS);
}

/**
 * Whether the password is the one behind the stored hash. Without a stored hash the answer is false, after the same work.
 * The client's value is never compared with the stored string itself.
 */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  if (storedHash === null || storedHash === undefined) {
    nobodysHash ??= hashPassword(crypto.randomUUID());
    await verify(await nobodysHash, password.normalize('NFKC'));
    return false;
  }
  return verify(storedHash, password.normalize('NFKC')).catch(() => false);
}
