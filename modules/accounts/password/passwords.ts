import { availableParallelism } from 'node:os';
import { UnavailableError } from '@case-platform/lib/errors';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id with 19 MiB, two passes, one lane: OWASP's Password Storage Cheat Sheet, 2025. */
const PARAMETERS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** One more than there are cores, because work that waits for the database uses no core. */
const turns = pLimit(availableParallelism() + 1);
/**
 * The longest time that a database call may take. Without this limit, a turn would wait for all earlier calls to a hanging
 * database.
 */
const TURN_WITHIN_MS = 20_000;

/**
 * Limits work on passwords to about one hash per core at a time, so that a hundred sign-ins at once do not delay everyone else.
 * @throws {UnavailableError} if the turn does not come within 20 seconds; the work is then never started.
 */
export function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
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

/** A hash of random bytes for accounts that do not exist, so that both cases take the same time (SIGN-IN-3). */
let dummyHash: Promise<string> | undefined;

export function hashPassword(password: string): Promise<string> {
  return runInTurn(() => hashNow(password));
}

function hashNow(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), PARAMETERS);
}

/**
 * True if the password matches the stored hash. Without a hash it does the same work and returns false (SIGN-IN-3). The client's
 * value is never compared with the stored text itself (SIGN-IN-2). Call it within `inTurn`.
 */
export async function isRightPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  if (storedHash === null || storedHash === undefined) {
    dummyHash ??= hashNow(crypto.randomUUID());
    await verify(await dummyHash, password.normalize('NFKC'));
    return false;
  }
  return verify(storedHash, password.normalize('NFKC')).catch(() => false);
}
