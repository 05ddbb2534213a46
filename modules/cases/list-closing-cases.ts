import { type Executor, run } from '@case-platform/lib/database';
import { CASE_COLUMNS, type CaseSummary } from './case-access.ts';

export type ClosingCase = CaseSummary & {
  /** `YYYY-MM-DD`. */
  close_due_on: string;
};

/** The cases of an Escrow Specialist that are to be closed by a day (`YYYY-MM-DD`) and are not yet, the most urgent first. */
export async function listClosingCases(
  db: Executor,
  specialistId: number,
  { by, limit }: { by: string; limit: number },
): Promise<ClosingCase[]> {
  return run<ClosingCase>(
    db,
    `select ${CASE_COLUMNS}, c.close_due_on::text as close_due_on from case_file c
      where c.escrow_specialist_id = $1 and c.close_due_on <= $2::date and c.status not in ('closed', 'cancelled')
      order by c.close_due_on, c.id limit $3`,
    [specialistId, by, limit],
  );
}
