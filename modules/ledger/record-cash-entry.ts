import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { isFormula, oneLine } from '@case-platform/lib/human-text';
import { answerIdempotencyKey, withIdempotencyKey } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { parseAmount, requireOpenCase } from '@case-platform/modules/cases';
import { MEMO_MAX } from '@case-platform/words/limits';
import { type CashEntryKind, lockVisibleCase } from './cash-entry.ts';
import { REFUND_NOT_COVERED, requireFunds } from './ledger.ts';

export interface CaseMoney {
  kind: CashEntryKind;
  amount_cents: number;
  /** What it is for, up to 300 characters. */
  memo: string;
  /** The client's name for this call: sent again, it is answered again and happens once. */
  idempotencyKey?: string | undefined;
}

/**
 * Records what the parents have paid in, or what was paid back to them. It moves nothing: it counts when another person has
 * confirmed it (DEPOSIT-1). Who may is the guard's to say (`make_payments`); the case is one that they see.
 * @returns the entry's id.
 * @throws {NotFoundError} @throws {InvalidInputError} @throws {ConflictError} `insufficient_funds` for a refund;
 * `case_closed` for a deposit, while a refund may follow a payment that the bank sent back after the case was closed.
 */
export async function recordCashEntry(
  db: Database,
  caseId: number,
  { idempotencyKey: key, ...money }: CaseMoney,
  by: ChangedByUser,
): Promise<number> {
  const { kind } = money;
  const amount_cents = parseAmount('amount_cents', money.amount_cents);
  const memo = oneLine(money.memo);
  if ([...memo].length > MEMO_MAX) throw invalid('memo', `The note can have up to ${MEMO_MAX} characters.`);
  if (isFormula(memo)) throw invalid('memo', `The note can’t start with ${memo[0]}.`);
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify([kind, caseId, amount_cents, memo]))
      .digest();
  const { id } = await withIdempotencyKey(db, { userId: by.actor.id, key, hashRequest }, (claim) =>
    db.transaction(async (tx) => {
      const locked = await lockVisibleCase(tx, caseId, by);
      const funds = { caseId, amountCents: amount_cents };
      if (kind === 'deposit') requireOpenCase(locked);
      if (kind === 'refund') await requireFunds(tx, funds, REFUND_NOT_COVERED);
      const [entry] = await query<{ id: number }>(
        tx,
        sql`insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by)
            values (${caseId}, ${kind}, ${amount_cents}, ${memo}, ${by.actor.id}) returning id`,
      );
      const made = { id: entry?.id ?? 0 };
      await recordAudit(tx, {
        ...by,
        action: `case.record_${kind}`,
        subject_id: caseId,
        subject_label: locked.name,
        case_id: caseId,
        after: { cash_entry_id: made.id, amount_cents, memo },
      });
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, made);
      return made;
    }),
  );
  return id;
}
