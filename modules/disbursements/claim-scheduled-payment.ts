import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';

interface Claim {
  scheduled_payment_id: number | null;
  case_id: number;
  payee_id: number;
  category: string;
}

/**
 * Requires that a request and its scheduled payment have the same case, payee, and category (PLAN-3). A scheduled payment without
 * a payee is for the case's surrogate, or for anyone on a case without a surrogate.
 * @throws {InvalidInputError} `scheduled_payment_id`.
 */
export async function requireMatchingLine(
  tx: Transaction,
  { scheduled_payment_id, case_id, payee_id, category }: Claim,
): Promise<void> {
  if (scheduled_payment_id === null) return;
  const surrogates = sql`select p.user_id from case_participant p join user_account u on u.id = p.user_id
    where p.case_id = s.case_id and p.left_at is null and u.user_type = 'surrogate'`;
  const [line] = await query<{ fits_category: boolean; fits_payee: boolean }>(
    tx,
    sql`select s.category = ${category} as fits_category,
               case when s.payee_id is not null then s.payee_id = ${payee_id}
                    when exists (${surrogates}) then ${payee_id} in (${surrogates})
                    else true end as fits_payee
          from scheduled_payment s where s.id = ${scheduled_payment_id} and s.case_id = ${case_id} for key share`,
  );
  if (line === undefined) throw invalid('scheduled_payment_id', 'We can’t find this scheduled payment on the case.');
  if (!line.fits_payee)
    throw invalid('scheduled_payment_id', 'This scheduled payment is for someone else. Choose who it’s for, or another one.');
  if (!line.fits_category)
    throw invalid('scheduled_payment_id', 'This scheduled payment is for another category. Choose its category, or another one.');
}

/**
 * Requires that no other request claims the scheduled payment. A claim counts from submission until the request is denied,
 * cancelled, or returned (PLAN-4). The caller must have locked the case.
 * @param id the request that claims it; null while it is being created.
 * @throws {ConflictError} `not_planned` if it is paid or cancelled, `already_requested` if another request claims it.
 */
export async function requireFreeLine(
  tx: Transaction,
  { id, scheduled_payment_id }: { id: number | null; scheduled_payment_id: number | null },
): Promise<void> {
  if (scheduled_payment_id === null) return;
  const [line] = await query<{ status: string; other_id: number | null }>(
    tx,
    sql`select s.status, (
          select d.id from disbursement_request d
           where d.scheduled_payment_id = s.id and d.id is distinct from ${id}::bigint
             and d.status not in ('draft', 'denied', 'cancelled', 'returned', 'ended') limit 1) as other_id
          from scheduled_payment s where s.id = ${scheduled_payment_id} for key share`,
  );
  if (line === undefined || line.status !== 'planned')
    throw new ConflictError('This scheduled payment is already paid or cancelled. Choose another one.', 'not_planned');
  if (line.other_id !== null)
    throw new ConflictError('Another request already pays this scheduled payment. Cancel one of the two.', 'already_requested');
}
