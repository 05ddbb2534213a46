import { createHash } from 'node:crypto';
import type { Database, DatabaseTransaction } from '@case-platform/db';
import { recordAudit } from '@case-platform/lib/audit';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { isFormula, oneLine } from '@case-platform/lib/human-text';
import { answerIdempotencyKey, once } from '@case-platform/lib/idempotency';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { checkAmount } from './disbursement-fields.ts';
import { holdCase, postLedger, requireFunds } from './ledger.ts';

export interface CaseMoney {
  amount_cents: number;
  /** What it is for, up to 300 characters. */
  memo: string;
  /** The client's name for this call: sent again, it is answered again and happens once. */
  idempotencyKey?: string | undefined;
}

/**
 * Records what the parents have paid in. Who may is the guard's to say (`make_payments`).
 * @throws {NotFoundError} @throws {InvalidInputError}
 */
export function recordDeposit(db: Database, caseId: number, money: CaseMoney, by: ChangedByUser): Promise<void> {
  return move(db, caseId, 'deposit', money, by);
}

/**
 * Records what was paid back to the parents.
 * @throws {NotFoundError} @throws {InvalidInputError} @throws {ConflictError} `insufficient_funds`.
 */
export function recordRefund(db: Database, caseId: number, money: CaseMoney, by: ChangedByUser): Promise<void> {
  return move(db, caseId, 'refund', money, by);
}

const MEMO_MAX = 300;

async function move(
  db: Database,
  caseId: number,
  kind: 'deposit' | 'refund',
  { idempotencyKey: key, ...money }: CaseMoney,
  by: ChangedByUser,
): Promise<void> {
  const amount_cents = checkAmount(money.amount_cents);
  const memo = oneLine(money.memo);
  if ([...memo].length > MEMO_MAX) throw invalid('memo', `The note may have at most ${MEMO_MAX} characters.`);
  if (isFormula(memo)) throw invalid('memo', `The note must not begin with ${memo[0]}.`);
  const post = async (tx: DatabaseTransaction) => {
    const held = await holdCase(tx, caseId);
    if (held === undefined) throw new NotFoundError();
    if (kind === 'refund') await requireFunds(tx, caseId, amount_cents);
    await postLedger(tx, { kind, case_id: caseId, amount_cents, memo, created_by: by.actor.id });
    await recordAudit(tx, {
      ...by,
      action: `case.${kind}`,
      subject_id: caseId,
      subject_label: held.name,
      case_id: caseId,
      after: { amount_cents, memo },
    });
  };
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify([kind, caseId, amount_cents, memo]))
      .digest();
  await once(db, { userId: by.actor.id, key, hashRequest }, (claim) =>
    db.transaction().execute(async (tx) => {
      await post(tx);
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, { kind });
      return { kind };
    }),
  );
}
