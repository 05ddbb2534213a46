import { setTimeout as sleep } from 'node:timers/promises';
import type { OldRows } from './database/old-rows.ts';
import { type Database, type Executor, isDatabaseUnavailable, type Transaction } from './database.ts';
import { ConflictError, InvalidInputError } from './errors.ts';
import { limitTo, query, sql } from './sql.ts';

/** The right to process one request with an `Idempotency-Key`. `answer` is set if an earlier request was already answered. */
export interface IdempotencyClaim {
  /** Null for the platform's own processes, which call with the master key. */
  userId: number | null;
  key: string;
  claimedAt: Date;
  answer: unknown;
}

/** A claim without an answer expires after this long: its process died, or its client left. */
const ABANDONED_AFTER = sql`interval '2 minutes'`;
/** A claim that could not be released when its work failed is tried again this often, until it expires anyway. */
const RELEASE_EVERY_MS = 500;
const RELEASE_TRIES = 240;
/** This many tries may find no claim, because a claim can become visible late. */
const RELEASE_MISSES = 10;
/** Keys are kept for 24 hours (IDEMPOTENCY-3). */
const KEY_LIFETIME = sql`interval '24 hours'`;

/**
 * Claims a key before any work is done. If `answer` is set, the work was done before: return that answer. The caller can pass the
 * time of its claim, so that it can also release a claim of which it never learned whether it was stored.
 * @throws {InvalidInputError} if the same key came with another request (IDEMPOTENCY-2).
 * @throws {ConflictError} while the first request is still in flight.
 */
export async function claimIdempotencyKey(
  db: Executor,
  userId: number | null,
  key: string,
  requestHash: Buffer,
  claimedAt: Date,
): Promise<IdempotencyClaim> {
  const [claimed] = await query(
    db,
    sql`insert into idempotency_key as k (user_id, key, request_hash, created_at)
        select ${userId}::bigint, ${key}, ${requestHash}::bytea, ${claimedAt}::timestamptz
         -- A request in a transaction that still runs is in flight, so do not wait for its row.
         where pg_try_advisory_xact_lock(hashtextextended(${`idempotency_key:${userId}:${key}`}, 0))
        on conflict (key, user_id) do update
           set request_hash = excluded.request_hash, response_body = null, created_at = excluded.created_at
         where k.created_at < now() - ${KEY_LIFETIME}
            or (k.response_body is null and k.created_at < now() - ${ABANDONED_AFTER})
        returning key`,
  );
  if (claimed !== undefined) return { userId, key, claimedAt, answer: undefined };
  const [row] = await query<{ request_hash: Buffer; response_body: unknown; created_at: Date }>(
    db,
    sql`select request_hash, response_body, created_at from idempotency_key
         where key = ${key} and user_id is not distinct from ${userId}`,
  );
  if (row !== undefined && !row.request_hash.equals(requestHash)) {
    throw keyReused();
  }
  if (row === undefined || row.response_body === null) {
    throw new ConflictError('The first request with this key is still running.', 'idempotency_key_in_flight');
  }
  return { userId, key, claimedAt: row.created_at, answer: row.response_body };
}

/** The error for a key that was used before with another request. */
export function keyReused(): InvalidInputError {
  return new InvalidInputError(
    [{ field: 'Idempotency-Key', message: 'This key was already used with another request.' }],
    'idempotency_key_reused',
  );
}

/**
 * Stores the answer in the transaction that did the work, so that both exist or neither.
 * @throws {ConflictError} if the claim expired meanwhile; the transaction must not commit.
 */
export async function answerIdempotencyKey(tx: Executor, claim: IdempotencyClaim, answer: object): Promise<void> {
  const [row] = await query(
    tx,
    sql`update idempotency_key set response_body = ${JSON.stringify(answer)}
         where key = ${claim.key} and user_id is not distinct from ${claim.userId} and created_at = ${claim.claimedAt}
           and response_body is null returning key`,
  );
  // A retry gets the answer of the request that has taken over.
  if (row === undefined) throw new ConflictError('Another request with this key has taken over.', 'idempotency_key_in_flight');
}

/** Releases a claim after a failure, so that the client may retry with the same key. @returns whether there was one. */
export async function releaseIdempotencyKey(db: Executor, claim: Omit<IdempotencyClaim, 'answer'>): Promise<boolean> {
  const rows = await query(
    db,
    sql`delete from idempotency_key
         where key = ${claim.key} and user_id is not distinct from ${claim.userId} and created_at = ${claim.claimedAt}
           and response_body is null returning key`,
  );
  return rows.length > 0;
}

/** Keys that no longer answer. A key that is in flight is two minutes old at most. */
export const OLD_KEYS: OldRows = {
  table: 'idempotency_key',
  retention: 'idempotency_keys',
  step: ({ before, limit }) => sql`
    delete from idempotency_key where ctid = any(array(
      select ctid from idempotency_key where created_at < ${before}
       order by created_at ${limitTo(limit)} for update skip locked)) returning 1`,
};

interface KeyedRequest {
  userId: number | null;
  /** The client's name for this request. Without one, the work always runs. */
  key: string | undefined;
  /** SHA-256 of the whole request; a different one with the same key is rejected (IDEMPOTENCY-2). */
  hashRequest: () => Buffer | Promise<Buffer>;
}

/**
 * Runs work with effects outside of the database once per idempotency key. The work gets the claim, and calls
 * `answerIdempotencyKey` with its result in its own transaction. When it fails, the key is free again.
 * @throws as `claimIdempotencyKey`, and whatever the work throws.
 */
export async function withIdempotencyKey<Answer extends object>(
  db: Executor,
  { userId, key, hashRequest }: KeyedRequest,
  work: (claim: IdempotencyClaim | undefined) => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return work(undefined);
  const keyClaim = { userId, key, claimedAt: new Date() };
  const releaseAfterFailure = async (error: unknown) => {
    if (isDatabaseUnavailable(error)) void releaseLater(db, keyClaim);
    else await releaseIdempotencyKey(db, keyClaim).catch(() => void releaseLater(db, keyClaim));
    throw error;
  };
  const claiming = claimIdempotencyKey(db, userId, key, await hashRequest(), keyClaim.claimedAt);
  const claim = await claiming.catch((error) =>
    isDatabaseUnavailable(error) ? releaseAfterFailure(error) : Promise.reject(error),
  );
  return claim.answer === undefined ? work(claim).catch(releaseAfterFailure) : (claim.answer as Answer);
}

/**
 * Runs work that is only in the database once per idempotency key, in one transaction with its claim and its answer.
 * @throws as `claimIdempotencyKey`, and whatever the work throws.
 */
export async function writeOnce<Answer extends object>(
  db: Database,
  { userId, key, hashRequest }: KeyedRequest,
  work: (tx: Transaction, claim: IdempotencyClaim | undefined) => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return db.transaction((tx) => work(tx, undefined));
  const requestHash = await hashRequest();
  return db.transaction(async (tx) => {
    const claim = await claimIdempotencyKey(tx, userId, key, requestHash, new Date());
    if (claim.answer !== undefined) return claim.answer as Answer;
    const answer = await work(tx, claim);
    await answerIdempotencyKey(tx, claim, answer);
    return answer;
  });
}

/**
 * Releases the key as soon as the database is back, so that a client that got a 503 can soon retry, without waiting for it here.
 * A claim may become visible only after a while, if it waited for a standby.
 */
async function releaseLater(db: Executor, claim: Omit<IdempotencyClaim, 'answer'>): Promise<void> {
  for (let tries = 0, misses = 0; tries < RELEASE_TRIES && misses < RELEASE_MISSES; tries++) {
    await sleep(RELEASE_EVERY_MS, undefined, { ref: false });
    try {
      if (await releaseIdempotencyKey(db, claim)) return;
      misses++;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) return;
    }
  }
}
