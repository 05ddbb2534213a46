import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isBlank } from '@case-platform/lib/text/human-text';
import { type ChangedByUser, isPersonAmong, requireSecondPerson } from '@case-platform/modules/accounts';
import { HAS_OTHER_ACCOUNT, retryNeedsAfter } from './bank-return.ts';
import { MAKERS } from './disbursement-access.ts';
import { parseReason } from './disbursement-fields.ts';
import type { LockedDisbursement } from './lock-disbursement.ts';

interface Cause {
  return_code: string;
  has_other_account: boolean;
}

/**
 * Requires that the cause of a return is cleared: the payee has another account, or the reason says why the payment will arrive this
 * time (RETRY-1). A person who set the current account may neither retry nor have approved the request (BANK-6).
 * @returns the return code and the reason, if any, for the audit log.
 * @throws {ForbiddenError} `same_person`. @throws {ConflictError} `account_not_changed`.
 * @throws {InvalidInputError} without a required reason.
 */
export async function requireClearedReturn(
  tx: Transaction,
  { id }: LockedDisbursement,
  reason: string | undefined,
  { actor }: ChangedByUser,
): Promise<Record<string, unknown>> {
  const [row] = await query<Cause & { approver_set_it: boolean }>(
    tx,
    sql`select d.return_code, ${HAS_OTHER_ACCOUNT} as has_other_account,
               ${isPersonAmong(sql`d.approver_id`, MAKERS)} as approver_set_it
          from disbursement_request d where d.id = ${id}`,
  );
  const { approver_set_it, ...cause } = row as NonNullable<typeof row>;
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
  const cleared = parseRetryReason(cause, reason);
  return { return_code: cause.return_code, ...(cleared === null ? {} : { reason: cleared }) };
}

/** @returns the reason, or null if the payee's new account makes one unnecessary. */
function parseRetryReason({ return_code, has_other_account }: Cause, reason: string | undefined): string | null {
  const needs = retryNeedsAfter(return_code, has_other_account);
  if (needs === 'another_account')
    throw new ConflictError(
      'The payee hasn’t added another bank account yet. Ask them to add one in their profile, then pay this again.',
      'account_not_changed',
    );
  const isGiven = reason !== undefined && !isBlank(reason);
  return needs === 'nothing' && !isGiven ? null : parseReason(reason ?? '');
}
