import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { CASE_STATUSES, type CaseStatus } from './case-access.ts';
import { lockCase } from './lock-case.ts';
import { listOpenMoney, openMoneyWords } from './open-money.ts';

/** States in which work goes on; a case moves between them in any order. */
export const OPEN_CASE_STATUSES = ['intake', 'pending_funding', 'active', 'on_hold'] as const satisfies CaseStatus[];
/** States that end a case, and `active` to reopen it. */
export const ENDING_CASE_STATUSES = ['closing', 'closed', 'cancelled', 'active'] as const satisfies CaseStatus[];

const ENDS = ['closing', 'closed', 'cancelled'] as const;

/**
 * The states from which `close_case` may move a case: from any state toward an end, and back only from an ending one (CASE-5).
 */
export function closedFrom(to: CaseStatus): readonly CaseStatus[] {
  return to === 'active' ? ENDS : CASE_STATUSES;
}

/** The moves that each state allows (CASE-5). */
export const CASE_MOVES: Record<CaseStatus, readonly CaseStatus[]> = {
  intake: ['pending_funding', 'active', 'on_hold', ...ENDS],
  pending_funding: ['intake', 'active', 'on_hold', ...ENDS],
  active: ['intake', 'pending_funding', 'on_hold', ...ENDS],
  on_hold: ['intake', 'pending_funding', 'active', ...ENDS],
  closing: ['active', 'closed', 'cancelled'],
  closed: ['active'],
  cancelled: ['active'],
};

/**
 * Moves a case to another state; nothing happens if it is in that state already.
 * @param from the states from which the actor may move a case, because ending and reopening have a permission of their own.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_case_status`, and `money_under_way` with a list of the open money when a
 * case would be closed or cancelled (CASE-6).
 */
export async function changeCaseStatus(
  db: Database,
  caseId: number,
  to: CaseStatus,
  by: ChangedBy,
  from: readonly CaseStatus[] = CASE_STATUSES,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, name, status } = await lockCase(tx, caseId);
    if (to === status) return;
    if (!from.includes(status) || !CASE_MOVES[status].includes(to))
      throw new ConflictError('You can’t do this in the case’s current state.', 'wrong_case_status');
    if (to === 'closed' || to === 'cancelled') await requireNoOpenMoney(tx, id);
    await query(tx, sql`update case_file set status = ${to}, updated_at = now() where id = ${id}`);
    await recordAudit(tx, {
      ...by,
      action: 'case.change_status',
      subject_id: id,
      subject_label: name,
      case_id: id,
      before: { status },
      after: { status: to },
    });
  });
}

async function requireNoOpenMoney(tx: Executor, caseId: number): Promise<void> {
  const open = await listOpenMoney(tx, caseId);
  if (open.length === 0) return;
  const what = open.map(openMoneyWords).join(' ');
  throw new ConflictError(`This case can’t end while money is open. ${what}`, 'money_under_way');
}
