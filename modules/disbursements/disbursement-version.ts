import type { Transaction } from '@case-platform/lib/database';
import { ChangedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';

/**
 * An expression: the opaque version of a request `d`. It changes with the amount, payee, category, description, and receipts, and
 * with the payee's bank account (REQUEST-9).
 */
export const DISBURSEMENT_VERSION = sql`encode(sha256(convert_to(jsonb_build_array(
  d.id, d.amount_cents, d.payee_id, d.category, d.description,
  (select jsonb_agg(f.id order by f.id) from disbursement_file f where f.disbursement_id = d.id),
  (select a.id from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null))::text, 'UTF8')), 'hex')`;

/**
 * An expression: the version for readers who may not read the content, who could otherwise guess the content and check it against
 * the real version.
 */
export const OUTLINE_VERSION = sql`encode(sha256(convert_to(d.id || ' ' || extract(epoch from d.updated_at), 'UTF8')), 'hex')`;

/**
 * Requires that the decision is about the current version (REQUEST-9). The caller must have locked the request and its payee's
 * account. The version is read in a statement of its own, so that it includes changes that were committed while the locks waited.
 * @throws {ChangedError} for any other version.
 */
export async function requireSeenVersion(tx: Transaction, { id }: { id: number }, version: string): Promise<void> {
  const [now] = await query<{ version: string }>(
    tx,
    sql`select ${DISBURSEMENT_VERSION} as version from disbursement_request d where d.id = ${id}`,
  );
  if (now?.version !== version) {
    throw new ChangedError('This request changed after you opened it. Check it again, then decide.');
  }
}

/** The payee's current bank account, for a transaction that has locked it (`lockPayee`). Null without one. */
export async function findPayeeAccountId(tx: Transaction, payeeId: number): Promise<number | null> {
  const [account] = await query<{ id: number }>(
    tx,
    sql`select id from payee_bank_account where user_id = ${payeeId} and replaced_at is null`,
  );
  return account?.id ?? null;
}

/** An arbitrary number: the first half of the lock's key; the second half is the person's id. */
const PAYEE_LOCK = 7_214_018;

/**
 * Locks a person's bank account until the end of the transaction, even if they have none yet (PAYABLE-3). `change` takes the lock
 * exclusively; `decide`, for decisions about money that goes there, shares it. Take it before cases and requests are locked, to
 * avoid deadlocks.
 */
export async function lockPayee(tx: Transaction, userId: number, why: 'decide' | 'change'): Promise<void> {
  const lock = why === 'change' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await query(tx, sql`select ${lock}(${PAYEE_LOCK}::int, ${userId}::int)`);
}

/**
 * Locks the payee's account of a request that is about to be decided. Returns null for an unknown request, which the caller then
 * rejects.
 */
export async function lockPayeeOf(tx: Transaction, disbursementId: number): Promise<number | null> {
  const [request] = await query<{ payee_id: number }>(
    tx,
    sql`select payee_id from disbursement_request where id = ${disbursementId}`,
  );
  if (request === undefined) return null;
  await lockPayee(tx, request.payee_id, 'decide');
  return request.payee_id;
}
