import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseSummary } from './case-access.ts';

/** The part of a case that every admin may read (SHOWN-2). */
export interface CaseOutline extends CaseSummary {
  agency_name: string | null;
  escrow_specialist_name: string | null;
  /** The approver set on the case; null if its first parent approves (APPROVER-1). */
  approver_id: number | null;
  approver_name: string | null;
  /** The day by which it has to be closed, `YYYY-MM-DD`. */
  close_due_on: string | null;
}

/**
 * Finds a case without checking access, for staff pages that any admin may open (SHOWN-1). Conversations and money of the case
 * must be read with the reader's own access.
 */
export async function findCaseOutline(db: Executor, caseId: number): Promise<CaseOutline | null> {
  const [outline] = await query<CaseOutline>(
    db,
    sql`select ${CASE_COLUMNS}, c.approver_id, c.close_due_on::text as close_due_on, a.name as agency_name,
            ${fullName(sql`u`)} as escrow_specialist_name,
            ${fullName(sql`w`)} as approver_name
       from case_file c
       left join agency a on a.id = c.agency_id
       left join user_account u on u.id = c.escrow_specialist_id
       left join user_account w on w.id = c.approver_id
      where c.id = ${caseId}`,
  );
  return outline ?? null;
}

/** The names of these cases, for lists of their contents. The caller must have checked access to the cases. */
export async function listCaseNames(db: Executor, caseIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (caseIds.length === 0) return new Map();
  const rows = await query<{ id: number; name: string }>(
    db,
    sql`select id, name from case_file where id = any(${[...new Set(caseIds)]}::bigint[])`,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
