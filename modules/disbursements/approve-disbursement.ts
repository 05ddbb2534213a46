import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, invalid } from '@case-platform/lib/errors';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { requireOpenCase } from '@case-platform/modules/cases';
import { postLedger, requireFunds } from '@case-platform/modules/ledger';
import { moneyWords } from '@case-platform/words/money';
import { announceDisbursement } from './announce-disbursement.ts';
import { listRequestBenefits } from './benefits/request-benefits.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { checkReason } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf, requireSeenVersion } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';
import { requireChecker, requireMaker } from './require-maker-or-checker.ts';

/** What somebody decides about, as they have seen it. */
export interface SeenDisbursement {
  /** The version that the page or the answer said. */
  version: string;
}

const NOT_COVERED =
  'The case doesn’t have enough available for this, so it isn’t approved. The escrow specialist can explain how to make a deposit. Approve it once the deposit has arrived.';

/** An approval; above the contract limit it has a reason (CONTRACT-4). */
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
 * @throws {ConflictError} `wrong_state`, `case_closed`, `insufficient_funds`, `payee_left`, `payee_not_payable`.
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
    const locked = await lockAsSeen(tx, id, approval, by);
    nextStatus('approve', locked.status);
    requireOpenCase(locked.case);
    await requirePayable(tx, [id], { step: 'approve', now: now() });
    await requireFunds(tx, { caseId: locked.case_id, amountCents: locked.amount_cents }, NOT_COVERED);
    const seen = { ...approval, decision_reason, by };
    const over_by_cents = await requireReasonOverBenefit(tx, locked, seen, now());
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    const note = { ...(decision_reason && { reason: decision_reason }), ...(over_by_cents > 0 && { over_by_cents }) };
    await moveDisbursement(tx, locked, 'approve', { changes, by, note });
    const { case_id, amount_cents, category: memo } = locked;
    await postLedger(tx, { kind: 'hold', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
    await announceDisbursement(tx, locked, 'approved', now());
  });
}

/**
 * Benefits are no part of a request's version: those of a case change with every request of it. What they are is asked while
 * the case is locked, so that two that go over together do not miss each other, and only going further over than was seen counts
 * as a change.
 * @returns by how much the request goes over.
 */
async function requireReasonOverBenefit(
  tx: Transaction,
  { id }: LockedDisbursement,
  seen: { over_by_cents?: number | undefined; decision_reason: string | null; by: ChangedByUser },
  now: Date,
): Promise<number> {
  const benefit = (await listRequestBenefits(tx, seen.by.actor, [id], now)).get(id);
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
    const locked = await lockAsSeen(tx, id, seen, by);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    await moveDisbursement(tx, locked, 'deny', { changes, by, note: { reason: decision_reason } });
    await announceDisbursement(tx, locked, 'denied', now());
  });
}

/** Locks a request for whoever may decide about it, as long as it is the one that they have seen. */
async function lockAsSeen(
  tx: Transaction,
  id: number,
  { version }: SeenDisbursement,
  { actor }: ChangedByUser,
): Promise<LockedDisbursement> {
  const payeeId = await lockPayeeOf(tx, id);
  const locked = await lockDisbursement(tx, actor, id);
  await requireChecker(tx, locked, actor);
  // Another payee since the lock was taken is another payee since the version was read.
  if (locked.payee_id !== payeeId)
    throw new ChangedError('This request pays someone else now. Check it again, then decide.');
  await requireSeenVersion(tx, locked, version);
  return locked;
}

/**
 * Takes back a request that nobody has decided about. Staff clear a draft away without reading it: it may be of somebody who has
 * left the case, and keep a line of the calendar from being asked for (docs/records/drafts.md).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone but its maker. @throws {ConflictError} `wrong_state`.
 */
export async function cancelDisbursement(
  { db }: Pick<DisbursementContext, 'db'>,
  id: number,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await lockDisbursement(tx, by.actor, id, { unread: true });
    requireMaker(locked, by.actor);
    await moveDisbursement(tx, locked, 'cancel', { by });
  });
}
