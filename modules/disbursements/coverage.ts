import { type Sql, sql } from '@case-platform/lib/sql';
import type { CaseReader } from '@case-platform/modules/cases';
import { balanceIsVisible } from '@case-platform/modules/ledger';

/**
 * An expression on `disbursement_request d` and `case_file c`: true if the available money of the case covers the request
 * (FUNDS-3). Null for readers who may not see the balance, because they could find it to the cent with requests of different
 * amounts. Also null if no decision about the money is ahead, because it is reserved already or the request has ended.
 */
export function coverage(reader: CaseReader): Sql {
  return sql`case when d.status in ('draft', 'submitted', 'returned') and ${balanceIsVisible(reader)} then
    d.amount_cents <= (select coalesce(-sum(b.amount_cents), 0) from ledger_balance b
                        where b.case_id = d.case_id and b.account = 'funds') end`;
}
