import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { CaseStatus } from './case-access.ts';

export interface LockedCase {
  id: number;
  name: string;
  status: CaseStatus;
  agency_id: number | null;
  escrow_specialist_id: number | null;
  approver_id: number | null;
  /** `YYYY-MM-DD`. */
  close_due_on: string | null;
}

/** Locks a case until the end of the transaction, so that its changes run one after the other. @throws {NotFoundError} */
export async function lockCase(tx: Executor, caseId: number): Promise<LockedCase> {
  const [caseFile] = await query<LockedCase>(
    tx,
    sql`select id, name, status, agency_id, escrow_specialist_id, approver_id, close_due_on::text as close_due_on
          from case_file where id = ${caseId} for update`,
  );
  if (caseFile === undefined) throw new NotFoundError();
  return caseFile;
}

/** Moves a case up in lists that are sorted by the last change. */
export async function touchCase(tx: Executor, caseId: number): Promise<void> {
  await query(tx, sql`update case_file set updated_at = now() where id = ${caseId}`);
}
