import { availableParallelism } from 'node:os';
import { UnavailableError } from '@case-platform/lib/errors';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id with 19 MiB, two passes, one lane: OWASP's Password Storage Cheat Sheet, 2025. */
const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The one more than there are cores is for those that wait for the database in their turn. */
const turns = pLimit(availableParallelism() + 1);
/** As long as any call to the database may take: while each turn is spent waiting for that, the next ones would wait for all before. */
const TURN_WITHIN_MS = 20_000;

/**
 * Runs work around a password in its turn: little more than one hash a core at a time, so that a hundred logins at once do
 * not keep everybody else waiting.
 * @throws {UnavailableError} when its turn does not come within 20 seconds; the work is not begun then.
 */
export function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let hasGivenUp = false;
    const timer = setTimeout(() => {
      hasGivenUp = true;
      reject(new UnavailableError());
    }, TURN_WITHIN_MS);
    turns(async () => {
      clearTimeout(timer);
      if (!hasGivenUp) await work().then(resolve, reject);
    });
  });
}

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
