import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { CASE_COLUMNS, type CaseSummary } from './case-access.ts';

/** What every admin may read about a case: what it is called, how it stands and who looks after it. */
export interface CaseOutline extends CaseSummary {
  agency_name: string | null;
  escrow_specialist_name: string | null;
  /** Who approves its requests, where one is named; else its first parent does. */
  approver_id: number | null;
  approver_name: string | null;
  /** The day it is to be closed by, `YYYY-MM-DD`. */
  close_due_on: string | null;
}

/**
 * A case without asking who wants to see it: for staff pages, which stay readable by any admin (SHOWN-1).
 * What belongs to the case (chains, money) is read through the reader's own access.
 */
export async function findCaseOutline(db: Executor, caseId: number): Promise<CaseOutline | null> {
  const [found] = await query<CaseOutline>(
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
  return found ?? null;
}

/** The names of these cases, for lists of things that belong to one. The caller has found those through their own access. */
export async function listCaseNames(db: Executor, caseIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (caseIds.length === 0) return new Map();
  const rows = await query<{ id: number; name: string }>(
    db,
    sql`select id, name from case_file where id = any(${[...new Set(caseIds)]}::bigint[])`,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
