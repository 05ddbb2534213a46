import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseSummary, leftOf, ownCases } from '@case-platform/modules/cases';

/**
 * The open cases of an agency's people that need someone: first those whose plan comes to more than is available, then the others
 * with a request that waits, in each group the longest wait first (HOME-4). The caller may see the balances of the cases.
 */
export function listNeedyCases(db: Executor, user: User, most: number): Promise<CaseSummary[]> {
  return query(
    db,
    sql`select ${CASE_COLUMNS} from (${ownCases(user)}) own join case_file c on c.id = own.case_id
         cross join lateral (
           select coalesce(-sum(b.amount_cents), 0) as cents from ledger_balance b
            where b.case_id = c.id and b.account = 'funds') available
         cross join lateral (
           select coalesce(sum(${leftOf(sql`s`)}), 0) as cents from scheduled_payment s
            where s.case_id = c.id and s.status = 'planned') planned
          left join lateral (
           select d.status_since as since from disbursement_request d
            where d.case_id = c.id and d.status in ('submitted', 'approved', 'returned')
            order by d.status_since, d.id limit 1) waiting on true
         where c.status not in ('closed', 'cancelled') and (planned.cents > available.cents or waiting.since is not null)
         order by planned.cents > available.cents desc, waiting.since nulls last, c.id ${limitTo(most)}`,
  );
}
