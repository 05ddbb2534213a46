import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseSummary, caseIsVisible } from './case-access.ts';

/** Cases that `reader` sees and that another person is on, as a participant or staff, newest first, at most `limit`. */
export async function listCasesOf(db: Executor, reader: User, userId: number, limit: number): Promise<CaseSummary[]> {
  return query<CaseSummary>(
    db,
    sql`select ${CASE_COLUMNS} from case_file c
      where c.id in (select case_id from case_participant where user_id = ${userId} and left_at is null
                      union all select case_id from case_admin where user_id = ${userId}
                      union all select id from case_file where escrow_specialist_id = ${userId})
        and ${caseIsVisible(reader)}
      order by c.id desc ${limitTo(limit)}`,
  );
}
