import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { writeOnce } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import { parseLine } from '@case-platform/lib/text/typed-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { parseAmount, requireOpenCase } from '@case-platform/modules/cases';
import { MEMO_MAX } from '@case-platform/words/limits';
import { type CashEntryKind, lockVisibleCase } from './cash-entry.ts';
import { REFUND_NOT_COVERED, requireFunds } from './ledger.ts';

export interface CaseMoney {
  kind: CashEntryKind;
  amount_cents: number;
  /** Up to 300 characters. */
  memo: string;
  /** A repeated key with the same entry returns the first result (IDEMPOTENCY-1). */
  idempotencyKey?: string | undefined;
}

/**
 * Records a deposit by the parents, or a refund to them. It counts once another person has confirmed it (DEPOSIT-1). The caller's
 * guard checks `make_payments`.
 * @returns the id of the entry.
 * @throws {NotFoundError} for a case that the actor does not see. @throws {InvalidInputError}
 * @throws {ConflictError} `insufficient_funds` for a refund (DEPOSIT-3); `case_closed` for a deposit. A refund is allowed on a
 * closed case, because the bank may return a payment later.
 */
export async function recordCashEntry(
  db: Database,
  caseId: number,
  { idempotencyKey: key, ...money }: CaseMoney,
  by: ChangedByUser,
): Promise<number> {
  const { kind } = money;
  const amount_cents = parseAmount('amount_cents', money.amount_cents);
  const memo = parseLine(money.memo, { field: 'memo', label: 'The note', max: MEMO_MAX });
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify([kind, caseId, amount_cents, memo]))
      .digest();
  const { id } = await writeOnce(db, { userId: by.actor.id, key, hashRequest }, async (tx) => {
    const lockedCase = await lockVisibleCase(tx, caseId, by);
    const funds = { caseId, amountCents: amount_cents };
    if (kind === 'deposit') requireOpenCase(lockedCase);
    if (kind === 'refund') await requireFunds(tx, funds, REFUND_NOT_COVERED);
    const [entry] = await query<{ id: number }>(
      tx,
      sql`insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by)
          values (${caseId}, ${kind}, ${amount_cents}, ${memo}, ${by.actor.id}) returning id`,
    );
    const result = { id: entry?.id ?? 0 };
    await recordAudit(tx, {
      ...by,
      action: `case.record_${kind}`,
      subject_id: caseId,
      subject_label: lockedCase.name,
      case_id: caseId,
      after: { cash_entry_id: result.id, amount_cents, memo },
    });
    return result;
  });
  return id;
}
