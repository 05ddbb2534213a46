import { sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { CasePerson } from '@case-platform/modules/cases';
import { afterReturn, needsOtherAccount, reasonInWords } from '@case-platform/words/bank-reasons';
import type { DisbursementStatus } from './disbursement-states.ts';

/** The reason why the bank returned a payment, and the next step, worded for each reader (RETURN-7). */
export interface BankReturn {
  /** Such as `R01`. */
  code: string;
  reason: string;
  what_to_do: string;
  who_acts: 'payee' | 'staff';
  /** The requirement for paying it again (RETRY-1). */
  retry_needs: RetryNeeds;
}

export type RetryNeeds = 'nothing' | 'a_reason' | 'another_account';

/** An expression: the payee of a returned request `d` has a different account than the one that returned the payment. */
export const HAS_OTHER_ACCOUNT = sql`coalesce((select e.bank_account_id <> a.id
  from banking_batch_entry e join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
  where e.disbursement_id = d.id and e.returned_at is not null order by e.id desc limit 1), false)`;

/**
 * A different account is enough. Without one, a return about the account needs a different account, and any other return needs a
 * reason (RETRY-1).
 */
export function retryNeedsAfter(code: string, hasOtherAccount: boolean): RetryNeeds {
  if (hasOtherAccount) return 'nothing';
  return needsOtherAccount(code) ? 'another_account' : 'a_reason';
}

interface Returned {
  status: DisbursementStatus;
  return_code: string | null;
  has_other_account: boolean | null;
  payee: CasePerson;
}

export function toBankReturn(
  { status, return_code: code, has_other_account, payee }: Returned,
  reader: Pick<User, 'id'>,
): BankReturn | null {
  if (status !== 'returned' || code === null) return null;
  const name = payee.user_id === reader.id ? null : payee.name;
  const hasOtherAccount = has_other_account === true;
  const next = afterReturn(code, { payee: name, hasOtherAccount });
  return { code, reason: reasonInWords(code), ...next, retry_needs: retryNeedsAfter(code, hasOtherAccount) };
}
