import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';
import { describeDisbursement } from './describe-disbursement.ts';
import { type DisbursementCommand, type DisbursementStatus, nextStatus } from './disbursement-states.ts';
import type { LockedDisbursement } from './lock-disbursement.ts';

type Changes = Partial<
  Record<
    | 'amount_cents'
    | 'category'
    | 'description'
    | 'payee_id'
    | 'submitted_by'
    | 'submitted_at'
    | 'approver_id'
    | 'decided_at'
    | 'decision_reason'
    | 'approved_account_id'
    | 'approval_undo'
    | 'draft_again_because'
    | 'bank_date'
    | 'paid_at'
    | 'returned_at'
    | 'return_code'
    | 'end_reason',
    SqlParameter
  >
>;

/**
 * Moves a locked request to the state that the command leads to, with an audit entry.
 * @param changes other columns to write.
 * @throws {ConflictError} `wrong_state`.
 */
export async function moveDisbursement(
  tx: Transaction,
  locked: LockedDisbursement,
  command: DisbursementCommand,
  { changes = {}, by, note = {} }: { changes?: Changes; by: ChangedBy; note?: Record<string, unknown> },
): Promise<DisbursementStatus> {
  const status = nextStatus(command, locked.status);
  const assignments = [
    sql`status = ${status}`,
    sql`updated_at = now()`,
    sql`status_since = case when status = ${status} then status_since else now() end`,
    ...Object.entries(changes).map(([name, value]) => sql`${trustedSql(name)} = ${value}`),
  ];
  await query(tx, sql`update disbursement_request set ${listOf(assignments)} where id = ${locked.id}`);
  await recordAudit(tx, {
    ...by,
    action: `disbursement.${command}`,
    subject_id: locked.id,
    subject_label: describeDisbursement(locked),
    case_id: locked.case_id,
    before: { status: locked.status },
    after: { status, ...note },
  });
  return status;
}
