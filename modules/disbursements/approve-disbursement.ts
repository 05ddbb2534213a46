import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, invalid } from '@case-platform/lib/errors';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { requireOpenCase } from '@case-platform/modules/cases';
import { postLedger, requireFunds } from '@case-platform/modules/ledger';
import { moneyWords } from '@case-platform/words/money';
import { announceDisbursement } from './announce-disbursement.ts';
import { listRequestBenefits } from './benefits/request-benefits.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { parseReason } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { findPayeeAccountId, lockPayeeOf, requireSeenVersion } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';
import { requireAccountSeen } from './payee-account/payee-account.ts';
import { requireChecker, requireMaker } from './require-maker-or-checker.ts';
import { prepareUndo } from './undo-approval.ts';

export interface SeenDisbursement {
  /** From the page or API response that they saw. */
  version: string;
}

const NOT_COVERED =
  'The case doesn’t have enough available for this, so it isn’t approved. The escrow specialist can explain how to make a deposit. Approve it once the deposit has arrived.';

/** Above the contract limit it needs a reason (CONTRACT-4). */
export interface Approval extends SeenDisbursement {
  reason?: string | undefined;
  /** The excess over the contract limit that the person saw. */
  over_by_cents?: number | undefined;
  /** The version of the payee's account, required if the request was approved for another one before (BANK-9). */
  account_seen?: string | undefined;
  /** Lets the person undo it for a few seconds, and announces it after that (REQUEST-19). */
  undoable?: boolean | undefined;
}

/**
 * Approves a request and reserves its money (FUNDS-1). Of several approvals at once one succeeds (REQUEST-6). The surrogate and
 * the parents are notified.
 * @throws {NotFoundError} @throws {ForbiddenError} for a person with a part in the request, and for anyone who may not decide
 * about it.
 * @throws {ChangedError} for a version that is not the current one, and if it exceeds its contract limit by more than was seen.
 * @throws {InvalidInputError} `reason`, if it exceeds its contract limit and no reason is given.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `insufficient_funds`, `payee_left`, `payee_not_payable`,
 * `account_changed`.
 */
export async function approveDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  approval: Approval,
  by: ChangedByUser,
): Promise<void> {
  const { reason = '' } = approval;
  const decision_reason = reason.trim() === '' ? null : parseReason(reason);
  await db.transaction(async (tx) => {
    const locked = await lockAsSeen(tx, id, approval, by);
    nextStatus('approve', locked.status);
    requireOpenCase(locked.case);
    await requireAccountSeen(tx, locked, approval.account_seen);
    await requirePayable(tx, [id], { step: 'approve', now: now() });
    await requireFunds(tx, { caseId: locked.case_id, amountCents: locked.amount_cents }, NOT_COVERED);
    const seen = { ...approval, decision_reason, by };
    const over_by_cents = await requireReasonOverBenefit(tx, locked, seen, now());
    const approved_account_id = await findPayeeAccountId(tx, locked.payee_id);
    const isUndoable = approval.undoable === true && over_by_cents === 0;
    const undo = isUndoable ? await prepareUndo(tx, locked, approved_account_id, now()) : null;
    const approval_undo = undo && JSON.stringify(undo);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason, approved_account_id, approval_undo };
    const note = { ...(decision_reason && { reason: decision_reason }), ...(over_by_cents > 0 && { over_by_cents }) };
    await moveDisbursement(tx, locked, 'approve', { changes, by, note });
    const { case_id, amount_cents, category: memo } = locked;
    await postLedger(tx, { kind: 'hold', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
    await announceDisbursement(tx, locked, 'approved', now(), undo === null ? undefined : new Date(undo.until));
  });
}

/**
 * The contract limit is not part of a request's version, because every request of a case changes how much of it is left. It is
 * read while the case is locked, so that two requests that exceed it together do not miss each other. Only a larger excess than
 * was seen counts as a change (CONTRACT-4).
 * @returns the excess in cents.
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
 * Denies a request with a reason (REQUEST-7). Its submitter and the escrow specialist are notified (EMAIL-6).
 * @throws {InvalidInputError} without a reason. @throws as `approveDisbursement`.
 */
export async function denyDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { reason, ...seen }: SeenDisbursement & { reason: string },
  by: ChangedByUser,
): Promise<void> {
  const decision_reason = parseReason(reason);
  await db.transaction(async (tx) => {
    const locked = await lockAsSeen(tx, id, seen, by);
    const changes = { approver_id: by.actor.id, decided_at: now(), decision_reason };
    await moveDisbursement(tx, locked, 'deny', { changes, by, note: { reason: decision_reason } });
    await announceDisbursement(tx, locked, 'denied', now());
  });
}

/** Locks a request for someone who may decide about it, if it is the version that they saw. */
async function lockAsSeen(
  tx: Transaction,
  id: number,
  { version }: SeenDisbursement,
  { actor }: ChangedByUser,
): Promise<LockedDisbursement> {
  const payeeId = await lockPayeeOf(tx, id);
  const locked = await lockDisbursement(tx, actor, id);
  await requireChecker(tx, locked, actor);
  // The payee changed after their account was locked, so the seen version is outdated too.
  if (locked.payee_id !== payeeId) throw new ChangedError('This request pays someone else now. Check it again, then decide.');
  await requireSeenVersion(tx, locked, version);
  return locked;
}

/**
 * Cancels a request that no one has decided about. Staff can cancel a draft without reading it, because its maker may have left
 * the case and it may claim a scheduled payment (docs/records/drafts.md).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not change it. @throws {ConflictError} `wrong_state`.
 */
export async function cancelDisbursement({ db }: Pick<DisbursementContext, 'db'>, id: number, by: ChangedByUser): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await lockDisbursement(tx, by.actor, id, { unread: true });
    requireMaker(locked, by.actor);
    await moveDisbursement(tx, locked, 'cancel', { by });
  });
}
