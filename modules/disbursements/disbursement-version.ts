import type { Transaction } from '@case-platform/lib/database';
import { ChangedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';

/**
 * The version of a request `d` (REQUEST-9): another one as soon as its amount, payee, category, description or
 * receipts are other ones, or the bank account that its payee is paid to. Opaque to whoever reads it. An expression.
 */
export const DISBURSEMENT_VERSION = sql`encode(sha256(convert_to(jsonb_build_array(
  d.id, d.amount_cents, d.payee_id, d.category, d.description,
  (select jsonb_agg(f.id order by f.id) from disbursement_file f where f.disbursement_id = d.id),
  (select a.id from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null))::text, 'UTF8')), 'hex')`;

/** What those have instead who do not read what a request says: of the other they could find out by trying. An expression. */
export const OUTLINE_VERSION = sql`encode(sha256(convert_to(d.id || ' ' || extract(epoch from d.updated_at), 'UTF8')), 'hex')`;

/**
 * What was seen is what is decided (REQUEST-9). The request and its payee's account must be locked: it is asked by
 * a statement of its own, which sees what those have written that were waited for.
 * @throws {ChangedError} for any version but the present one.
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

/** Any fixed number: the first half of the key, the person's id is the second. */
const PAYEE_LOCK = 7_214_018;

/**
 * Keeps somebody's bank account as it is until the end of the transaction, also where there is none yet. Whoever changes it
 * takes the lock alone (`change`), those who decide about money that goes there share it (`decide`). Always before cases and
 * requests are locked, so that two never wait for each other.
 */
export async function lockPayee(tx: Transaction, userId: number, why: 'decide' | 'change'): Promise<void> {
  const lock = why === 'change' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await query(tx, sql`select ${lock}(${PAYEE_LOCK}::int, ${userId}::int)`);
}

/** Locks the payee of a request that is about to be decided. A request that is nowhere is found missing afterwards. */
export async function lockPayeeOf(tx: Transaction, disbursementId: number): Promise<number | null> {
  const [request] = await query<{ payee_id: number }>(
    tx,
    sql`select payee_id from disbursement_request where id = ${disbursementId}`,
  );
  if (request === undefined) return null;
  await lockPayee(tx, request.payee_id, 'decide');
  return request.payee_id;
}
