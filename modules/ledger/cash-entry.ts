import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, caseIsVisible } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from './ledger.ts';

export type CashEntryKind = 'deposit' | 'refund';
export type CashEntryStatus = 'waiting' | 'confirmed' | 'refused';

/** What somebody who decides about an entry of a case's cash has looked at. */
export interface SeenCashEntry {
  case_id: number;
  id: number;
  version: string;
}

/** An entry that is locked, with its case, for the rest of the transaction. */
export interface LockedCashEntry {
  id: number;
  kind: CashEntryKind;
  amount_cents: number;
  memo: string;
  recorded_by: number;
  case: LockedCase;
}

/** What is decided about, of `cash_entry e`: another one as soon as any of it is another. An expression. */
export const CASH_ENTRY_VERSION = sql`encode(sha256(convert_to(jsonb_build_array(e.id, e.case_id, e.kind, e.amount_cents,
  e.memo, e.recorded_by)::text, 'UTF8')), 'hex')`;

const DECIDED = { waiting: '', confirmed: 'confirmed', refused: 'refused' } as const;

/**
 * Locks a case whose cash somebody records or decides about: one that they see.
 * @throws {NotFoundError} for any other.
 */
export async function lockVisibleCase(tx: Transaction, caseId: number, { actor }: ChangedByUser): Promise<LockedCase> {
  const locked = await lockCase(tx, caseId);
  // Asked once it is locked: they may have left the case while this waited.
  const [seen] = await query(tx, sql`select c.id from case_file c where c.id = ${caseId} and ${caseIsVisible(actor)}`);
  if (locked === undefined || seen === undefined) throw new NotFoundError();
  return locked;
}

/**
 * Locks an entry that waits, as it was seen.
 * @throws {NotFoundError} for one of a case that the actor does not see. @throws {ConflictError} for one that was decided
 * about. @throws {ChangedError}
 */
export async function lockCashEntry(
  tx: Transaction,
  { case_id, id, version }: SeenCashEntry,
  by: ChangedByUser,
): Promise<LockedCashEntry> {
  const locked = await lockVisibleCase(tx, case_id, by);
  const [entry] = await query<Omit<LockedCashEntry, 'case'> & { status: CashEntryStatus; version: string }>(
    tx,
    sql`select e.id, e.kind, e.amount_cents, e.memo, e.recorded_by, e.status, ${CASH_ENTRY_VERSION} as version
          from cash_entry e where e.id = ${id} and e.case_id = ${case_id} for update`,
  );
  if (entry === undefined) throw new NotFoundError();
  const { status, version: now, ...rest } = entry;
  if (status !== 'waiting') throw new ConflictError(`This ${rest.kind} was ${DECIDED[status]} already.`, 'wrong_state');
  if (version !== now)
    throw new ChangedError(`This ${rest.kind} changed after you opened it. Check it again, then decide.`);
  return { ...rest, case: locked };
}
