import { availableParallelism } from 'node:os';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id with 19 MiB, two passes, one lane: OWASP's Password Storage Cheat Sheet, 2025. */
const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed, in characters: a longer one is refused before it costs anything. */
export const PASSWORD_MAX = 256;

/** At most one hash a core at a time: a hundred logins at once must not keep everybody else waiting for a thread. */
const inTurn = pLimit(availableParallelism());

/** A hash of random bytes, compared against when there is no account, so that both cases take the same time. */
let nobodysHash: Promise<string> | undefined;

/** The string to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password.normalize('NFKC'), PARAMETERS));
}

/**
 * Whether the password is the one behind the stored hash. Without a stored hash the answer is false, after the same work.
 * The client's value is never compared with the stored string itself.
 */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  if (storedHash === null || storedHash === undefined) {
    nobodysHash ??= hashPassword(crypto.randomUUID());
    const hashed = await nobodysHash;
    await inTurn(() => verify(hashed, password.normalize('NFKC')));
    return false;
  }
  return inTurn(() => verify(storedHash, password.normalize('NFKC')).catch(() => false));
}
