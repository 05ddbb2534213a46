import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, designatedApprover, requireOpenCase } from '@case-platform/modules/cases';
import { announceDisbursement } from './announce-disbursement.ts';
import { requireFreeLine, requireMatchingLine } from './claim-scheduled-payment.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';
import { requireMaker } from './require-maker-or-checker.ts';

/**
 * Sends a draft to its designated approver, by mail and push. It never looks at the case's balance: its maker may not see that,
 * and could otherwise find it to the cent by sending requests of different amounts (FUNDS-2).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone but its maker.
 * @throws {InvalidInputError} for a scheduled payment of another payee or category.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `payee_left`, `not_planned`, `already_requested`.
 */
export async function submitDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Who has set the account is not asked to decide: nobody sets another one meanwhile.
    await lockPayeeOf(tx, id);
    const locked = await lockDisbursement(tx, by.actor, id);
    requireMaker(locked, by.actor);
    nextStatus('submit', locked.status);
    requireOpenCase(locked.case);
    await requirePayable(tx, [id], { step: 'submit', now: now(), wayOut: 'Choose someone else to pay.' });
    await requireMatchingLine(tx, locked);
    await requireFreeLine(tx, locked);
    const approver_id = await findApprover(tx, locked);
    const changes = {
      submitted_by: by.actor.id,
      submitted_at: now(),
      approver_id,
      decided_at: null,
      decision_reason: null,
    };
    await moveDisbursement(tx, locked, 'submit', { changes, by, note: { approver_id } });
    await announceDisbursement(tx, locked, 'submitted', now());
  });
}

/** Held until the end: an account that is being closed meanwhile is waited for, and then somebody else is found. */
async function findApprover(tx: Transaction, locked: LockedDisbursement): Promise<number | null> {
  for (;;) {
    const id = await findDesignated(tx, locked);
    if (id === null) return null;
    const open = await query(tx, sql`select id from user_account where id = ${id} and status = 'active' for share`);
    if (open.length > 0) return id;
  }
}

/** Whoever sends it has written or changed it: they are among its makers. */
async function findDesignated(tx: Transaction, locked: LockedDisbursement): Promise<number | null> {
  const [found] = await query<{ approver_id: number | null }>(
    tx,
    sql`select ${designatedApprover(locked.makers)} as approver_id
       from case_file c where c.id = ${locked.case_id}`,
  );
  return found?.approver_id ?? null;
}
