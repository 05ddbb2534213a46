import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** From here on duties are not counted to their end. */
export const DUTIES_MAX = 100;

/** What an admin looks after, and what nobody would look after if they were shut out; `DUTIES_MAX` stands for more. */
export interface Duties {
  /** Open chains that are assigned to them. */
  open_chains: number;
  /** Open cases whose escrow specialist they are. */
  open_cases: number;
}

/** Counts what somebody else would have to take over from an admin. */
export async function countDuties(db: Executor, adminId: number): Promise<Duties> {
  const [duties] = await query<Duties>(
    db,
    sql`select (select count(*)::int from (
                  select from message_chain
                   where assigned_admin_id = ${adminId} and status = 'open' limit ${DUTIES_MAX}) c) as open_chains,
               (select count(*)::int from (
                  select from case_file
                   where escrow_specialist_id = ${adminId} and status not in ('closed', 'cancelled')
                   limit ${DUTIES_MAX}) c) as open_cases`,
  );
  return duties ?? { open_chains: 0, open_cases: 0 };
}
