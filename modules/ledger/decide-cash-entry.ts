import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { parseLine } from '@case-platform/lib/text/typed-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { requireSecondPerson } from '@case-platform/modules/accounts';
import { requireOpenCase } from '@case-platform/modules/cases';
import { MEMO_MAX } from '@case-platform/words/limits';
import { type LockedCashEntry, lockCashEntry, type SeenCashEntry } from './cash-entry.ts';
import { postLedger, REFUND_NOT_COVERED, requireFunds } from './ledger.ts';

/**
 * Confirms an entry that someone else recorded, and posts it to the ledger (DEPOSIT-1). The caller's guard checks
 * `make_payments`.
 * @throws {NotFoundError} for a case that the actor does not see. @throws {ForbiddenError} `same_person` for the person who
 * recorded it, `address_moved` as `requireSecondPerson`.
 * @throws {ConflictError} if it was already decided, for a refund that the case can no longer pay, and `case_closed` for a
 * deposit.
 * @throws {ChangedError} if it changed since it was seen.
 */
export async function confirmCashEntry(db: Database, seen: SeenCashEntry, by: ChangedByUser): Promise<void> {
  await db.transaction(async (tx) => {
    const entry = await lockCashEntry(tx, seen, by);
    const { kind, amount_cents, memo, recorded_by } = entry;
    const words = `You recorded this ${kind}, so someone else has to confirm it.`;
    await requireSecondPerson(tx, by.actor, [recorded_by], words);
    const funds = { caseId: seen.case_id, amountCents: amount_cents };
    if (kind === 'deposit') requireOpenCase(entry.case);
    if (kind === 'refund') await requireFunds(tx, funds, REFUND_NOT_COVERED);
    await decide(tx, entry, { by, status: 'confirmed', reason: null });
    const movement = { kind, case_id: seen.case_id, amount_cents, memo, cash_entry_id: entry.id };
    await postLedger(tx, { ...movement, created_by: recorded_by });
  });
}

/**
 * Refuses an entry, so that it never counts (DEPOSIT-2). The person who recorded it may withdraw it this way.
 * @throws {InvalidInputError} without a reason. @throws as `confirmCashEntry`, except for the same person.
 */
export async function refuseCashEntry(
  db: Database,
  { reason: text, ...seen }: SeenCashEntry & { reason: string },
  by: ChangedByUser,
): Promise<void> {
  const reason = parseLine(text, { field: 'reason', label: 'The reason', max: MEMO_MAX, empty: 'Say why.' });
  await db.transaction(async (tx) => {
    await decide(tx, await lockCashEntry(tx, seen, by), { by, status: 'refused', reason });
  });
}

interface Decision {
  by: ChangedByUser;
  status: 'confirmed' | 'refused';
  reason: string | null;
}

async function decide(tx: Transaction, entry: LockedCashEntry, { by, status, reason }: Decision): Promise<void> {
  await query(
    tx,
    sql`update cash_entry set status = ${status}, decided_by = ${by.actor.id}, decided_at = clock_timestamp(),
               decision_reason = ${reason} where id = ${entry.id}`,
  );
  const { id: cash_entry_id, kind, amount_cents, memo } = entry;
  await recordAudit(tx, {
    ...by,
    action: status === 'confirmed' ? `case.${kind}` : `case.refuse_${kind}`,
    subject_id: entry.case.id,
    subject_label: entry.case.name,
    case_id: entry.case.id,
    after: { cash_entry_id, amount_cents, memo, ...(reason === null ? {} : { reason }) },
  });
}
