import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';
import { postMovements } from '@case-platform/modules/ledger';
import { announceDisbursement } from './announce-disbursement.ts';
import { describeDisbursement } from './describe-disbursement.ts';
import { COMMANDS, type Command, type DisbursementCommand, getMove } from './disbursement-states.ts';
import type { LockedDisbursement } from './lock-disbursement.ts';
import { moveDates, promiseDates } from './whereabouts/move-dates.ts';

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
    | 'end_reason'
    | 'search'
    | 'search_version'
    | 'status_since',
    SqlParameter
  >
>;

interface Step {
  by: ChangedBy;
  now: Date;
  /** Other columns to write. */
  changes?: Changes;
  /** Added to the state in the audit log. */
  note?: Record<string, unknown>;
  /** True if the caller notifies people and moves the arrival day. */
  isQuiet?: boolean;
  /** When people are notified; at once if unset. */
  announceAt?: Date | undefined;
}

/** Takes one step with a locked request; see `moveDisbursements`. @throws {ConflictError} `wrong_state`. */
export function moveDisbursement(
  tx: Transaction,
  request: LockedDisbursement,
  command: DisbursementCommand,
  step: Step,
): Promise<void> {
  return moveDisbursements(tx, [request], command, step);
}

/**
 * Takes a step with locked requests, as `COMMANDS` says: moves each to its next state with an audit entry, posts to the ledger, and
 * notifies people. The caller has checked the guards.
 * @throws {ConflictError} `wrong_state` when the command is not possible in the state of one of them.
 */
export async function moveDisbursements(
  tx: Transaction,
  requests: readonly LockedDisbursement[],
  command: DisbursementCommand,
  { by, now, changes = {}, note = {}, isQuiet = false, announceAt }: Step,
): Promise<void> {
  const moves = requests.map((request) => ({ ...getMove(command, request.status), request }));
  for (const { request, to } of moves) {
    const assignments = [
      sql`status = ${to}`,
      sql`updated_at = now()`,
      // A draft that changes is a draft since the same time.
      ...(command === 'revise' && request.status === to ? [] : [sql`status_since = now()`]),
      ...Object.entries(changes).map(([name, value]) => sql`${trustedSql(name)} = ${value}`),
    ];
    await query(tx, sql`update disbursement_request set ${listOf(assignments)} where id = ${request.id}`);
    await recordAudit(tx, {
      ...by,
      action: `disbursement.${command}`,
      subject_id: request.id,
      subject_label: describeDisbursement(request),
      case_id: request.case_id,
      before: { status: request.status },
      after: { status: to, ...note },
    });
  }
  // No person of ours causes a step of the bank.
  const created_by = command === 'pay' || command === 'return' ? null : (by.actor?.id ?? null);
  for (const [kind, posted] of Map.groupBy(moves, ({ posts }) => posts)) {
    const entries = posted.map(({ request: { id, case_id, amount_cents, category } }) => {
      return { case_id, amount_cents, disbursement_id: id, memo: category };
    });
    if (kind !== undefined) await postMovements(tx, { kind, created_by }, entries);
  }
  for (const { request, notifies } of moves) {
    if (notifies !== undefined && !isQuiet) await announceDisbursement(tx, request, notifies, now, { runAt: announceAt });
  }
  const { dates }: Command = COMMANDS[command];
  const ids = requests.map(({ id }) => id);
  if (dates === undefined || isQuiet) return;
  if (dates === 'promised') await promiseDates(tx, ids, now);
  else if (dates === 'sent') await moveDates(tx, ids, { now, isQuiet: true });
  else await moveDates(tx, ids, { now, because: dates, announceAt });
}
