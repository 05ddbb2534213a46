import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { caseIsVisible } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from './ledger.ts';

export type CashEntryKind = 'deposit' | 'refund';
export type CashEntryStatus = 'waiting' | 'confirmed' | 'refused';

export interface SeenCashEntry {
  case_id: number;
  id: number;
  version: string;
}

/** An entry that is locked with its case until the end of the transaction. */
export interface LockedCashEntry {
  id: number;
  kind: CashEntryKind;
  amount_cents: number;
  memo: string;
  recorded_by: number;
  case: LockedCase;
}

/** An expression: the version of `cash_entry e`, which changes with everything that is decided about (PERSON-6). */
export const CASH_ENTRY_VERSION = sql`encode(sha256(convert_to(jsonb_build_array(e.id, e.case_id, e.kind, e.amount_cents,
  e.memo, e.recorded_by)::text, 'UTF8')), 'hex')`;

const DECIDED = { waiting: '', confirmed: 'confirmed', refused: 'refused' } as const;

/**
 * Locks the case of a cash entry.
 * @throws {NotFoundError} if the actor does not see the case.
 */
export async function lockVisibleCase(tx: Transaction, caseId: number, { actor }: ChangedByUser): Promise<LockedCase> {
  const lockedCase = await lockCase(tx, caseId);
  // Checked after locking, because they may have left the case while this waited.
  const [row] = await query(tx, sql`select c.id from case_file c where c.id = ${caseId} and ${caseIsVisible(actor)}`);
  if (lockedCase === undefined || row === undefined) throw new NotFoundError();
  return lockedCase;
}

/**
 * Locks a waiting entry.
 * @throws {NotFoundError} for a case that the actor does not see. @throws {ConflictError} if it was already decided.
 * @throws {ChangedError} if it changed since it was seen.
 */
export async function lockCashEntry(
  tx: Transaction,
  { case_id, id, version }: SeenCashEntry,
  by: ChangedByUser,
): Promise<LockedCashEntry> {
  const lockedCase = await lockVisibleCase(tx, case_id, by);
  const [entry] = await query<Omit<LockedCashEntry, 'case'> & { status: CashEntryStatus; version: string }>(
    tx,
    sql`select e.id, e.kind, e.amount_cents, e.memo, e.recorded_by, e.status, ${CASH_ENTRY_VERSION} as version
          from cash_entry e where e.id = ${id} and e.case_id = ${case_id} for update`,
  );
  if (entry === undefined) throw new NotFoundError();
  const { status, version: now, ...rest } = entry;
  if (status !== 'waiting') throw new ConflictError(`This ${rest.kind} was ${DECIDED[status]} already.`, 'wrong_state');
  if (version !== now) throw new ChangedError(`This ${rest.kind} changed after you opened it. Check it again, then decide.`);
  return { ...rest, case: lockedCase };
}
