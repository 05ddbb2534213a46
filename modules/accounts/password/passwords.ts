import { availableParallelism } from 'node:os';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id with 19 MiB, two passes, one lane: OWASP's Password Storage Cheat Sheet, 2025. */
const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Runs work around a password in its turn: little more than one hash a core at a time, so that a hundred logins at once do
 * not keep everybody else waiting. The one more is for those that wait for the database in their turn.
 */
export const inTurn = pLimit(availableParallelism() + 1);

/** A hash of random bytes, compared against when there is no account, so that both cases take the same time. */
let nobodysHash: Promise<string> | undefined;

/** The string to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hashNow(password));
}

function hashNow(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), PARAMETERS);
}

/**
 * Whether the password is the one behind the stored hash. Without a stored hash the answer is false, after the same work.
 * The client's value is never compared with the stored string itself. Call it within `inTurn`.
 */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  if (storedHash === null || storedHash === undefined) {
    nobodysHash ??= hashNow(crypto.randomUUID());
    await verify(await nobodysHash, password.normalize('NFKC'));
    return false;
  }
  return verify(storedHash, password.normalize('NFKC')).catch(() => false);
}
