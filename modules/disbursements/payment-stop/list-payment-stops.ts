import type { Executor } from '@case-platform/lib/database';
import { limitTo, NO_SQL, query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson, fullName } from '@case-platform/modules/accounts';
import { caseIsVisible } from '@case-platform/modules/cases';
import { REQUEST_READERS } from '../disbursement-access.ts';
import type { Viewer } from '../list-disbursements.ts';

/** A stop of all payments to a payee that is not cleared, as staff of its case see it (BANK-10). */
export interface PaymentStop {
  id: number;
  /** The request that the alarm was about. */
  disbursement_id: number;
  case_id: number;
  case_name: string;
  payee_name: string;
  raised_by_name: string;
  raised_at: Date;
  reason: string;
  /** The conversation about it; null if staff raised it. */
  chain_id: number | null;
}

const SHOWN = 50;

/**
 * Lists the stops of the cases that an admin sees, oldest first, at most 50. Admins who read no requests, and the payee under
 * another of their records, get none.
 * @param about only the stop for the payee and case of this request.
 */
export async function listPaymentStops(
  db: Executor,
  admin: Viewer,
  { about }: { about?: number | undefined } = {},
): Promise<PaymentStop[]> {
  if (admin.user_type !== 'admin') return [];
  const ofRequest = sql` and exists (select from disbursement_request d
    where d.id = ${about ?? null} and d.payee_id = s.payee_id and d.case_id = s.case_id)`;
  return query<PaymentStop>(
    db,
    sql`select s.id, s.disbursement_id, s.case_id, c.name as case_name, ${fullName(sql`payee`)} as payee_name,
               ${fullName(sql`raiser`)} as raised_by_name, s.raised_at, s.reason, s.chain_id
          from payment_stop s join case_file c on c.id = s.case_id
          join user_account payee on payee.id = s.payee_id join user_account raiser on raiser.id = s.raised_by
         where s.cleared_at is null and ${caseIsVisible(admin)} and ${adminHasPermission(admin.id, ...REQUEST_READERS)}
           and ${canBeSecondPerson(admin.id, sql`array[s.payee_id]`)}${about === undefined ? NO_SQL : ofRequest}
         order by s.id ${limitTo(SHOWN)}`,
  );
}
