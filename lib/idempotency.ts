import { setTimeout as sleep } from 'node:timers/promises';
import type { OldRows } from './database/remove-old.ts';
import { type Executor, isDatabaseUnavailable } from './database.ts';
import { ConflictError, InvalidInputError } from './errors.ts';
import { query, sql } from './sql.ts';

/** The right to answer one request with an `Idempotency-Key`; `answer` is what an earlier one already answered. */
export interface IdempotencyClaim {
  userId: number;
  key: string;
  claimedAt: Date;
  answer: unknown;
}

/** A claim without an answer is given up after this long: its process died, or its client went away. */
const ABANDONED_AFTER = sql`interval '2 minutes'`;
/** How often, and how many times, a claim is given back that could not be when its work failed: until it is given up anyway. */
const RELEASE_EVERY_MS = 500;
const RELEASE_TRIES = 240;
/** How many times it is looked whether there is a claim by now. */
const RELEASE_LOOKS = 10;
/** Keys are kept for 24 hours (IDEMPOTENCY-3). */
const KEPT = sql`interval '24 hours'`;

/**
 * Claims a key before any work is done. With `answer` set the work was done before: answer with that. The caller knows when it
 * claims, so that it can also give back a claim of which it never heard whether it counts.
 * @throws {InvalidInputError} when the same key came with another request.
 * @throws {ConflictError} while the first request is still under way.
 */
export async function claimIdempotencyKey(
  db: Executor,
  userId: number,
  key: string,
  requestHash: Buffer,
  claimedAt = new Date(),
): Promise<IdempotencyClaim> {
  const [claimed] = await query(
    db,
    sql`insert into idempotency_key as k (user_id, key, request_hash, created_at)
        values (${userId}, ${key}, ${requestHash}, ${claimedAt})
        on conflict (user_id, key) do update
           set request_hash = excluded.request_hash, response_body = null, created_at = excluded.created_at
         where k.created_at < now() - ${KEPT}
            or (k.response_body is null and k.created_at < now() - ${ABANDONED_AFTER})
        returning key`,
  );
  if (claimed !== undefined) return { userId, key, claimedAt, answer: undefined };
  const [known] = await query<{ request_hash: Buffer; response_body: unknown; created_at: Date }>(
    db,
    sql`select request_hash, response_body, created_at from idempotency_key where user_id = ${userId} and key = ${key}`,
  );
  if (known !== undefined && !known.request_hash.equals(requestHash)) {
    throw keyReused();
  }
  if (known === undefined || known.response_body === null) {
    throw new ConflictError('The first request with this key is still running.', 'idempotency_key_in_flight');
  }
  return { userId, key, claimedAt: known.created_at, answer: known.response_body };
}

/** The refusal of a key that was used before with another request. */
export function keyReused(): InvalidInputError {
  return new InvalidInputError(
    [{ field: 'Idempotency-Key', message: 'This key was already used with another request.' }],
    'idempotency_key_reused',
  );
}

/**
 * Keeps the answer, in the transaction that did the work: both exist or neither.
 * @throws {ConflictError} when the claim was given up meanwhile; the transaction must not commit.
 */
export async function answerIdempotencyKey(tx: Executor, claim: IdempotencyClaim, answer: object): Promise<void> {
  const [kept] = await query(
    tx,
    sql`update idempotency_key set response_body = ${JSON.stringify(answer)}
         where user_id = ${claim.userId} and key = ${claim.key} and created_at = ${claim.claimedAt}
           and response_body is null returning key`,
  );
  if (kept === undefined) {
    throw keyTakenOver();
  }
}

/** The refusal of a request whose claim was given up while it worked: whoever repeats it gets the answer of the other one. */
export function keyTakenOver(): ConflictError {
  return new ConflictError('Another request with this key has taken over.', 'idempotency_key_in_flight');
}

/** Gives a claim back after a failure, so that the client may try again with the same key. @returns whether there was one. */
export async function releaseIdempotencyKey(db: Executor, claim: Omit<IdempotencyClaim, 'answer'>): Promise<boolean> {
  const released = await query(
    db,
    sql`delete from idempotency_key
         where user_id = ${claim.userId} and key = ${claim.key} and created_at = ${claim.claimedAt}
           and response_body is null returning key`,
  );
  return released.length > 0;
}

/** Keys that answer for nothing any more: see `OldRows`. One that is under way is two minutes old at most. */
export const OLD_KEYS: OldRows = {
  table: 'idempotency_key',
  kept: 'idempotency_keys',
  step: ({ before, most }) => sql`
    delete from idempotency_key where ctid = any(array(
      select ctid from idempotency_key where created_at < ${before}
       order by created_at limit ${most} for update skip locked)) returning 1`,
};

interface KeyedRequest {
  userId: number;
  /** The client's name for this request. Without one, the work always runs. */
  key: string | undefined;
  /** SHA-256 of everything that makes the request what it is: another one under the same key is refused. */
  hashRequest: () => Buffer | Promise<Buffer>;
}

/**
 * Runs the work once per idempotency key. The work gets the claim, and calls `answerIdempotencyKey` with its result in its own
 * transaction. When it fails, the key is free again.
 * @throws as `claimIdempotencyKey`, and whatever the work throws.
 */
export async function withIdempotencyKey<Answer extends object>(
  db: Executor,
  { userId, key, hashRequest }: KeyedRequest,
  work: (claim: IdempotencyClaim | undefined) => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return work(undefined);
  const own = { userId, key, claimedAt: new Date() };
  const giveBack = async (error: unknown) => {
    if (isDatabaseUnavailable(error)) void releaseLater(db, own);
    else await releaseIdempotencyKey(db, own).catch(() => void releaseLater(db, own));
    throw error;
  };
  const claiming = claimIdempotencyKey(db, userId, key, await hashRequest(), own.claimedAt);
  const claim = await claiming.catch((error) =>
    isDatabaseUnavailable(error) ? giveBack(error) : Promise.reject(error),
  );
  return claim.answer === undefined ? work(claim).catch(giveBack) : (claim.answer as Answer);
}

/**
 * The database went away in the middle: as soon as it is back, whoever was told 503 may try again, without waiting meanwhile.
 * A claim may show only after a while, when it waited for a standby.
 */
async function releaseLater(db: Executor, claim: Omit<IdempotencyClaim, 'answer'>): Promise<void> {
  for (let tries = 0, looks = 0; tries < RELEASE_TRIES && looks < RELEASE_LOOKS; tries++) {
    await sleep(RELEASE_EVERY_MS, undefined, { ref: false });
    try {
      if (await releaseIdempotencyKey(db, claim)) return;
      looks++;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) return;
    }
  }
}
