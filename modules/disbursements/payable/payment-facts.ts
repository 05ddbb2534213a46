import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser } from '@case-platform/modules/cases';
import type { PaymentFacts } from './why-not-payable.ts';

/** `PaymentFacts` as parsed from JSON, with times as text. */
export type PaymentFactsJson = Omit<PaymentFacts, 'account'> & {
  account: { usable_from: string; flag_code: string | null; is_replaced: boolean } | null;
};

/**
 * Requires the payee to be on the case; someone who wrote the request may see the case only through their agency. Conditions on
 * `disbursement_request d`, `case_file fc`, and `user_account fu`.
 */
const PAYEE_BELONGS = sql`(${caseIsVisibleToUser(sql`fu`, sql`fc`)} and (d.payee_id = d.created_by or exists (
    select from case_participant fp where fp.case_id = d.case_id and fp.user_id = d.payee_id and fp.left_at is null)))`;

/**
 * An expression: everything that decides whether a request `d` can be paid, as JSON. The account is that of the request's batch,
 * otherwise the payee's current one.
 */
export const PAYMENT_FACTS: Sql = sql`(select json_build_object(
    'disbursement_id', d.id, 'payee_name', ${fullName(sql`fu`)}, 'payee_status', fu.status,
    'payee_belongs', ${PAYEE_BELONGS}, 'case_status', fc.status,
    'is_under_review', exists (select from payment_stop fs where fs.payee_id = d.payee_id and fs.cleared_at is null),
    'file_is_out', coalesce(fb.status in ('outcome_unknown', 'transmitted', 'settled'), false),
    'account', case when fa.id is not null then json_build_object(
      'usable_from', fa.usable_from, 'flag_code', fa.flag_code, 'is_replaced',
      fa.replaced_at is not null or (d.status in ('approved', 'batched') and d.approved_account_id <> fa.id)) end)
  from user_account fu
  join case_file fc on fc.id = d.case_id
  left join banking_batch_entry fe on fe.disbursement_id = d.id and fe.released_at is null and fe.returned_at is null
  left join banking_batch fb on fb.id = fe.batch_id
  left join payee_bank_account fa on fa.id = coalesce(fe.bank_account_id, (
    select current.id from payee_bank_account current where current.user_id = d.payee_id and current.replaced_at is null))
 where fu.id = d.payee_id)`;

export function toPaymentFacts({ account, ...facts }: PaymentFactsJson): PaymentFacts {
  return { ...facts, account: account && { ...account, usable_from: new Date(account.usable_from) } };
}

/** Reads the payment facts of these requests, ordered by id. Unknown ids are skipped. */
export async function readPaymentFacts(db: Executor, ids: readonly number[]): Promise<PaymentFacts[]> {
  const rows = await query<{ facts: PaymentFactsJson }>(
    db,
    sql`select ${PAYMENT_FACTS} as facts from disbursement_request d where d.id = any(${ids}::bigint[]) order by d.id`,
  );
  return rows.map(({ facts }) => toPaymentFacts(facts));
}
