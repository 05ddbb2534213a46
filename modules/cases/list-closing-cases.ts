import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { CASE_COLUMNS, type CaseSummary } from './case-access.ts';

export type ClosingCase = CaseSummary & {
  /** `YYYY-MM-DD`. */
  close_due_on: string;
};

/** An escrow specialist's open cases that have to be closed by a day (`YYYY-MM-DD`), most urgent first. */
export async function listClosingCases(
  db: Executor,
  specialistId: number,
  { by, limit }: { by: string; limit: number },
): Promise<ClosingCase[]> {
  return query<ClosingCase>(
    db,
    sql`select ${CASE_COLUMNS}, c.close_due_on::text as close_due_on from case_file c
      where c.escrow_specialist_id = ${specialistId} and c.close_due_on <= ${by}::date and c.status not in ('closed', 'cancelled')
      order by c.close_due_on, c.id ${limitTo(limit)}`,
  );
}
