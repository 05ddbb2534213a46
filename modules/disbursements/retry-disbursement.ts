import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isPersonAmong, requireSecondPerson } from '@case-platform/modules/accounts';
import type { ChangedByUser } from '@case-platform/modules/cases';
import { requireOpenCase } from '@case-platform/modules/cases';
import { postLedger, requireFunds } from '@case-platform/modules/ledger';
import { HAS_OTHER_ACCOUNT, whatRetryNeeds } from './bank-return.ts';
import { requireFreeLine } from './claim-scheduled-payment.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { MAKERS } from './disbursement-access.ts';
import { checkReason } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf, requireSeenVersion } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement, type Standing } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';

interface Retry {
  /** What the page or the answer said, where the caller has looked at one. */
  version?: string | undefined;
  /** Why it will arrive this time, where the payee still has the account that it came back from. */
  reason?: string | undefined;
}

const NOT_COVERED =
  'The case doesn’t have enough available to pay this again. Ask the parents for a deposit, and pay it again once that has arrived.';

/** What a request that came back is like while it waits for another batch; its life is in the audit log. */
const NOT_PAID = { bank_date: null, paid_at: null, returned_at: null, return_code: null };

/**
 * Pays again what the bank sent back: its money is set aside again, and the next batch may take it up (RETRY-1).
 * The approval stands; the payee's account, or a reason, must have changed what went wrong.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone but an admin with `edit_drs` on the case; `same_person` where
 * whoever asks or has approved it is paid, or has set the account that is paid to.
 * @throws {ChangedError} for another version than the present one. @throws {InvalidInputError} without a reason.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `payee_left`, `payee_not_payable`,
 * `account_not_changed`, `insufficient_funds`, and
 * `not_planned` or `already_requested` where its scheduled payment is over, or asked for by another request.
 */
export async function retryDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  { version, reason }: Retry,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Nobody changes the payee's account meanwhile.
    await lockPayeeOf(tx, id);
    const locked = await lockDisbursement(tx, by.actor, id);
    requireSpecialist(locked);
    nextStatus('retry', locked.status);
    if (version !== undefined) await requireSeenVersion(tx, locked, version);
    requireOpenCase(locked.case);
    const cause = await findCause(tx, locked, by);
    const cleared = checkCleared(cause, reason);
    await requirePayable(tx, [id], { step: 'retry', now: now() });
    await requireFreeLine(tx, locked);
    await requireFunds(tx, { caseId: locked.case_id, amountCents: locked.amount_cents }, NOT_COVERED);
    const note = { return_code: cause.return_code, ...(cleared === null ? {} : { reason: cleared }) };
    await moveDisbursement(tx, locked, 'retry', { changes: NOT_PAID, by, note });
    const { case_id, amount_cents, category: memo } = locked;
    await postLedger(tx, { kind: 'hold', case_id, amount_cents, disbursement_id: id, memo, created_by: by.actor.id });
  });
}

function requireSpecialist({ sees_case, permissions }: Standing): void {
  if (!sees_case || !permissions.has('edit_drs'))
    throw new ForbiddenError('Only the case’s escrow specialist can decide whether to pay this again.');
}

interface Cause {
  return_code: string;
  has_other_account: boolean;
}

/** Why it came back. Whoever has set the account that it is paid to now has decided nothing about it (BANK-6). */
async function findCause(tx: Transaction, { id }: LockedDisbursement, { actor }: ChangedByUser): Promise<Cause> {
  const [cause] = await query<Cause & { approver_set_it: boolean }>(
    tx,
    sql`select d.return_code, ${HAS_OTHER_ACCOUNT} as has_other_account,
               ${isPersonAmong(sql`d.approver_id`, MAKERS)} as approver_set_it
          from disbursement_request d where d.id = ${id}`,
  );
  const { approver_set_it, ...found } = cause as NonNullable<typeof cause>;
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
  return found;
}

/** @returns the reason, or null where the payee's other account is one. */
function checkCleared({ return_code, has_other_account }: Cause, reason: string | undefined): string | null {
  const needs = whatRetryNeeds(return_code, has_other_account);
  if (needs === 'another_account')
    throw new ConflictError('The payee hasn’t added another bank account yet.', 'account_not_changed');
  const isGiven = reason !== undefined && reason.trim() !== '';
  return needs === 'nothing' && !isGiven ? null : checkReason(reason ?? '');
}
