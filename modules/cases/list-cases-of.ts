import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, CASE_IS_VISIBLE, type CaseSummary, caseAccessParameters } from './case-access.ts';

/** Cases that `reader` sees and that another person is on, as a participant or as staff; the newest first, at most `limit`. */
export async function listCasesOf(db: Executor, reader: User, userId: number, limit: number): Promise<CaseSummary[]> {
  return run<CaseSummary>(
    db,
    `select ${CASE_COLUMNS} from case_file c
      where c.id in (select case_id from case_participant where user_id = $4 and left_at is null
                      union all select case_id from case_admin where user_id = $4
                      union all select id from case_file where escrow_specialist_id = $4)
        and ${CASE_IS_VISIBLE}
      order by c.id desc limit $5`,
    [...caseAccessParameters(reader), userId, limit],
  );
}
