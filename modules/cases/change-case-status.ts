import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { CASE_STATUSES, type CaseStatus } from './case-access.ts';
import { lockCase } from './lock-case.ts';
import { listOpenMoney, openMoneyWords } from './open-money.ts';

/** While work goes on, in whatever order life brings them. */
export const OPEN_CASE_STATUSES = ['intake', 'pending_funding', 'active', 'on_hold'] as const satisfies CaseStatus[];
/** On the way out; `active` is the way back. */
export const ENDING_CASE_STATUSES = ['closing', 'closed', 'cancelled', 'active'] as const satisfies CaseStatus[];

const ENDS = ['closing', 'closed', 'cancelled'] as const;

/** What `close_case` may come from: every state towards an end, and back only what was on its way out. */
export function closedFrom(to: CaseStatus): readonly CaseStatus[] {
  return to === 'active' ? ENDS : CASE_STATUSES;
}

/** From each state, the states that it may come to. */
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
 * Moves a case to another state, with its entry in the audit log; nothing happens when it is there already.
 * @param from the states that the actor may move a case from: closing and reopening is a permission of its own.
 * @throws {NotFoundError} @throws {ConflictError} `wrong_case_status`, and `money_under_way` with a list of what is open when a
 * case would be closed or cancelled with money in it (`listOpenMoney`).
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
