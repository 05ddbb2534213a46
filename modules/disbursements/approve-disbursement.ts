import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, invalid } from '@case-platform/lib/errors';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { moneyWords } from '@case-platform/words/money';
import { announceDisbursement } from './announce-disbursement.ts';
import { listRequestBenefits } from './benefits/request-benefits.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { checkReason } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf, requireSeenVersion } from './disbursement-version.ts';
import {
  type HeldDisbursement,
  holdDisbursement,
  moveDisbursement,
  requireChecker,
  requireMaker,
  requireOpenCase,
} from './hold-disbursement.ts';
import { postLedger, requireFunds } from './ledger/ledger.ts';

/** What somebody decides about, as they have seen it. */
export interface SeenDisbursement {
  /** The version that the page or the answer said. */
  version: string;
}

/** An approval: over what the contract allows it takes a reason (decisions, section 14). */
export interface Approval extends SeenDisbursement {
  reason?: string | undefined;
  /** How far over its benefit the request was seen to go. */
  over_by_cents?: number | undefined;
}

/**
 * Approves a request and sets its money aside. Of any number of approvals at the same time one wins; surrogate and parents
 * are told.
 * @throws {NotFoundError} @throws {ForbiddenError} for its maker, and for anyone who is not the one to decide.
 * @throws {ChangedError} for another version than the present one, and when it goes further over its benefit than was seen.
 * @throws {InvalidInputError} `reason`, when it goes over its benefit and nobody says why.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `insufficient_funds`.
 */
export async function approveDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  approval: Approval,
  by: ChangedByUser,
): Promise<void> {
  const { reason = '' } = approval;
  const decision_reason = reason.trim() === '' ? null : checkReason(reason);
  await db.transaction(async (tx) => {
    const held = await holdAsSeen(tx, id, approval, by);
    nextStatus('approve', held.status);
    requireOpenCase(held.case);
    const over_by_cents = await requireReasonOverBenefit(tx, held, { ...approval, decision_reason }, now());
    await requireFunds(tx, held.case_id, held.amount_cents);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    const note = { ...(decision_reason && { reason: decision_reason }), ...(over_by_cents > 0 && { over_by_cents }) };
    await moveDisbursement(tx, held, 'approve', { changes, by, note });
    const { case_id, amount_cents, category: memo } = held;
    await postLedger(tx, { kind: 'hold', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
    await announceDisbursement(tx, held, 'approved', now());
  });
}

/**
 * Benefits are no part of a request's version: those of a case change with every request of it. What they are is asked while
 * the case is held, so that two that go over together do not miss each other, and only going further over than was seen counts
 * as a change.
 * @returns by how much the request goes over.
 */
async function requireReasonOverBenefit(
  tx: Transaction,
  { id }: HeldDisbursement,
  seen: { over_by_cents?: number | undefined; decision_reason: string | null },
  now: Date,
): Promise<number> {
  const benefit = (await listRequestBenefits(tx, [id], now)).get(id);
  if (benefit === undefined || benefit.over_by_cents === 0) return 0;
  const { category, over_by_cents } = benefit;
  const over = `This goes ${moneyWords(over_by_cents)} over what the contract allows for ${category}.`;
  if (seen.over_by_cents !== undefined && seen.over_by_cents < over_by_cents)
    throw new ChangedError(`${over} Look at it again, then decide.`);
  if (seen.decision_reason === null) throw invalid('reason', `${over} Say why you approve it.`);
  return over_by_cents;
}

/**
 * Denies a request, with a reason that its submitter and the Escrow Specialist are told.
 * @throws {InvalidInputError} without a reason. @throws as `approveDisbursement`.
 */
export async function denyDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { reason, ...seen }: SeenDisbursement & { reason: string },
  by: ChangedByUser,
): Promise<void> {
  const decision_reason = checkReason(reason);
  await db.transaction(async (tx) => {
    const held = await holdAsSeen(tx, id, seen, by);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    await moveDisbursement(tx, held, 'deny', { changes, by, note: { reason: decision_reason } });
    await announceDisbursement(tx, held, 'denied', now());
  });
}

/** Holds a request for whoever may decide about it, as long as it is the one that they have seen. */
async function holdAsSeen(
  tx: Transaction,
  id: number,
  { version }: SeenDisbursement,
  { actor }: ChangedByUser,
): Promise<HeldDisbursement> {
  const payeeId = await lockPayeeOf(tx, id);
  const held = await holdDisbursement(tx, actor, id);
  await requireChecker(tx, held, actor);
  // Another payee since the lock was taken is another payee since the version was read.
  if (held.payee_id !== payeeId)
    throw new ChangedError('This request pays someone else now. Check it again, then decide.');
  await requireSeenVersion(tx, held, version);
  return held;
}

/**
 * Takes back a request that nobody has decided about.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone but its maker. @throws {ConflictError} `wrong_state`.
 */
export async function cancelDisbursement(
  { db }: Pick<DisbursementContext, 'db'>,
  id: number,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await holdDisbursement(tx, by.actor, id);
    requireMaker(held, by.actor);
    await moveDisbursement(tx, held, 'cancel', { by });
  });
}
