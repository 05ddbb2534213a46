import { type Sql, sql } from '@case-platform/lib/sql';
import type { CaseReader } from '@case-platform/modules/cases';
import { balanceIsVisible } from '@case-platform/modules/ledger';

/**
 * Whether the money that a case has available now covers the request `d`, an expression on it and `case_file c` (FUNDS-3).
 * Null for readers who may not see the case's balance: by sending requests of different amounts they could find it to the cent.
 * Null as well while no decision about the money is ahead: it is set aside already, or the request has ended.
 */
export function coverage(reader: CaseReader): Sql {
  return sql`case when d.status in ('draft', 'submitted', 'returned') and ${balanceIsVisible(reader)} then
    d.amount_cents <= (select coalesce(-sum(b.amount_cents), 0) from ledger_balance b
                        where b.case_id = d.case_id and b.account = 'funds') end`;
}
