import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { designatedApprover } from '@case-platform/modules/cases';
import type { DisbursementContext } from './create-disbursement.ts';
import { lockPayeeOf } from './disbursement-version.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requireGuards } from './require-guards.ts';

/**
 * Submits a draft to its designated approver, with a mail and a push. It does not check the balance, which its maker could
 * otherwise find to the cent with requests of different amounts (FUNDS-2).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not change it.
 * @throws {InvalidInputError} for a scheduled payment of another payee or category.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `payee_left`, `not_planned`, `already_requested`.
 */
export async function submitDisbursement({ db, now }: DisbursementContext, id: number, by: ChangedByUser): Promise<void> {
  await db.transaction(async (tx) => {
    // A person who set the payee's account is not an approver, so the account must not change meanwhile.
    await lockPayeeOf(tx, id);
    const request = await lockDisbursement(tx, by.actor, id);
    await requireGuards(tx, 'submit', { request, by, now: now() });
    const approver_id = await findApprover(tx, request);
    const changes = {
      submitted_by: by.actor.id,
      submitted_at: now(),
      approver_id,
      decided_at: null,
      decision_reason: null,
      draft_again_because: null,
    };
    await moveDisbursement(tx, request, 'submit', { changes, by, now: now(), note: { approver_id } });
  });
}

/**
 * Locks the approver's account until the end of the transaction. If it was deactivated while this waited, the next approver is
 * looked up.
 */
export async function findApprover(tx: Transaction, request: LockedDisbursement): Promise<number | null> {
  for (;;) {
    const id = await findDesignated(tx, request);
    if (id === null) return null;
    const open = await query(tx, sql`select id from user_account where id = ${id} and status = 'active' for share`);
    if (open.length > 0) return id;
  }
}

/** The submitter is among the makers, because only people who wrote or may change the request can submit it. */
async function findDesignated(tx: Transaction, request: LockedDisbursement): Promise<number | null> {
  const [row] = await query<{ approver_id: number | null }>(
    tx,
    sql`select ${designatedApprover(request.makers)} as approver_id
       from case_file c where c.id = ${request.case_id}`,
  );
  return row?.approver_id ?? null;
}
