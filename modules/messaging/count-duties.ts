import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';

/** Counting stops here. */
export const DUTIES_MAX = 100;

/** The work that would need a new owner if an admin were deactivated. Each count stops at `DUTIES_MAX`. */
export interface Duties {
  /** Open chains that are assigned to them. */
  open_chains: number;
  /** Open cases whose escrow specialist they are. */
  open_cases: number;
}

/** Counts the work that colleagues would have to take over from an admin. */
export async function countDuties(db: Executor, adminId: number): Promise<Duties> {
  const [duties] = await query<Duties>(
    db,
    sql`select (select count(*)::int from (
                  select from message_chain
                   where assigned_admin_id = ${adminId} and status = 'open' ${limitTo(DUTIES_MAX)}) c) as open_chains,
               (select count(*)::int from (
                  select from case_file
                   where escrow_specialist_id = ${adminId} and status not in ('closed', 'cancelled')
                   ${limitTo(DUTIES_MAX)}) c) as open_cases`,
  );
  return duties ?? { open_chains: 0, open_cases: 0 };
}
