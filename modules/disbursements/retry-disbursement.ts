import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { isPersonAmong, requireSecondPerson } from '@case-platform/modules/accounts';
import { requireOpenCase } from '@case-platform/modules/cases';
import { postLedger, requireFunds } from '@case-platform/modules/ledger';
import { HAS_OTHER_ACCOUNT, whatRetryNeeds } from './bank-return.ts';
import { requireFreeLine } from './claim-scheduled-payment.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { MAKERS } from './disbursement-access.ts';
import { parseReason } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { findPayeeAccountId, lockPayeeOf, requireSeenVersion } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement, type Standing } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';

interface Retry {
  /** The version that the caller saw, if any. */
  version?: string | undefined;
  /** Why the payment will arrive this time; required if the payee still has the account that returned it. */
  reason?: string | undefined;
}

const NOT_COVERED =
  'The case doesn’t have enough available to pay this again. Ask the parents for a deposit, and pay it again once that has arrived.';

/** Clears the columns of the returned payment, which stays in the audit log. */
const NOT_PAID = { bank_date: null, paid_at: null, returned_at: null, return_code: null };

/**
 * Pays a returned request again: reserves its money, so that it can go into the next batch (RETRY-1). The approval stays valid, and now
 * counts for the payee's current account.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone except an admin with `edit_drs` who sees the case; `same_person` if
 * the actor or the approver is paid by it, or set the account that it is paid to.
 * @throws {ChangedError} for a version that is not the current one. @throws {InvalidInputError} without a required reason.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `payee_left`, `payee_not_payable`, `account_not_changed`,
 * `insufficient_funds`, and `not_planned` or `already_requested` for its scheduled payment.
 */
export async function retryDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { version, reason }: Retry,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The lock keeps the payee's account from changing meanwhile.
    await lockPayeeOf(tx, id);
    const locked = await lockDisbursement(tx, by.actor, id);
    requireSpecialist(locked);
    nextStatus('retry', locked.status);
    if (version !== undefined) await requireSeenVersion(tx, locked, version);
    requireOpenCase(locked.case);
    const cause = await findCause(tx, locked, by);
    const cleared = parseRetryReason(cause, reason);
    await requirePayable(tx, [id], { step: 'retry', now: now() });
    await requireFreeLine(tx, locked);
    await requireFunds(tx, { caseId: locked.case_id, amountCents: locked.amount_cents }, NOT_COVERED);
    const note = { return_code: cause.return_code, ...(cleared === null ? {} : { reason: cleared }) };
    const changes = { ...NOT_PAID, approved_account_id: await findPayeeAccountId(tx, locked.payee_id) };
    await moveDisbursement(tx, locked, 'retry', { changes, by, note });
    const { case_id, amount_cents, category: memo } = locked;
    await postLedger(tx, { kind: 'hold', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
  });
}

/** Whether a returned payment is paid again is decided by an admin with `edit_drs` who sees the case. @throws {ForbiddenError} */
export function requireSpecialist({ sees_case, permissions }: Standing): void {
  if (!sees_case || !permissions.has('edit_drs'))
    throw new ForbiddenError('Only the case’s escrow specialist can decide whether to pay this again.');
}

interface Cause {
  return_code: string;
  has_other_account: boolean;
}

/**
 * Reads the reason for the return. A person who set the current account may neither retry nor have approved the request (BANK-6).
 */
async function findCause(tx: Transaction, { id }: LockedDisbursement, { actor }: ChangedByUser): Promise<Cause> {
  const [cause] = await query<Cause & { approver_set_it: boolean }>(
    tx,
    sql`select d.return_code, ${HAS_OTHER_ACCOUNT} as has_other_account,
               ${isPersonAmong(sql`d.approver_id`, MAKERS)} as approver_set_it
          from disbursement_request d where d.id = ${id}`,
  );
  const { approver_set_it, ...reason } = cause as NonNullable<typeof cause>;
  const words = 'This pays an account that’s yours or that you entered, so someone else has to pay it again.';
  const paid = sql`(select array[d.payee_id, a.created_by] || a.entered_by
                      from disbursement_request d
                      left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
                     where d.id = ${id})`;
  await requireSecondPerson(tx, actor, paid, words);
  if (approver_set_it) {
    const late = 'The person who approved this has since entered the payee’s bank account, so it needs a new request.';
    throw new ForbiddenError(late, 'same_person');
  }
  return reason;
}

/** @returns the reason, or null if the payee's new account makes one unnecessary. */
function parseRetryReason({ return_code, has_other_account }: Cause, reason: string | undefined): string | null {
  const needs = whatRetryNeeds(return_code, has_other_account);
  if (needs === 'another_account')
    throw new ConflictError('The payee hasn’t added another bank account yet.', 'account_not_changed');
  const isGiven = reason !== undefined && reason.trim() !== '';
  return needs === 'nothing' && !isGiven ? null : parseReason(reason ?? '');
}
