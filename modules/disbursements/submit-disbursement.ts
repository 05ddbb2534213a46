import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, designatedApprover } from '@case-platform/modules/cases';
import { announceDisbursement } from './announce-disbursement.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { nextStatus } from './disbursement-states.ts';
import { lockPayeeOf } from './disbursement-version.ts';
import {
  type HeldDisbursement,
  holdDisbursement,
  moveDisbursement,
  requireMaker,
  requireOpenCase,
} from './hold-disbursement.ts';
import { requireFunds } from './ledger/ledger.ts';

/**
 * Sends a draft to its designated approver, who is asked by mail and push.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone but its maker.
 * @throws {ConflictError} `wrong_state`, `case_closed`, `insufficient_funds`, `payee_left`.
 */
export async function submitDisbursement(
  { db, now }: DisbursementContext,
  id: number,
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Who has set the account is not asked to decide: nobody sets another one meanwhile.
    await lockPayeeOf(tx, id);
    const held = await holdDisbursement(tx, by.actor, id);
    requireMaker(held, by.actor);
    nextStatus('submit', held.status);
    requireOpenCase(held.case);
    await requirePayee(tx, held);
    await requireFunds(tx, held.case_id, held.amount_cents);
    const approver_id = await findApprover(tx, held, by.actor.id);
    const changes = {
      submitted_by: by.actor.id,
      submitted_at: now(),
      approver_id,
      decided_at: null,
      decision_reason: null,
    };
    await moveDisbursement(tx, held, 'submit', { changes, by, note: { approver_id } });
    await announceDisbursement(tx, held, 'submitted', now());
  });
}

/** A payee who has left the case since gets nothing. */
export async function requirePayee(
  tx: Transaction,
  { case_id, payee_id, created_by }: HeldDisbursement,
): Promise<void> {
  if (payee_id === created_by) return;
  const [found] = await query(
    tx,
    sql`select from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${case_id} and p.user_id = ${payee_id} and p.left_at is null and u.status = 'active'`,
  );
  if (found === undefined) throw new ConflictError('The payee has left the case. Choose someone else.', 'payee_left');
}

/** Held until the end: an account that is being closed meanwhile is waited for, and then somebody else is found. */
async function findApprover(tx: Transaction, held: HeldDisbursement, submitterId: number): Promise<number | null> {
  for (;;) {
    const id = await findDesignated(tx, held, submitterId);
    if (id === null) return null;
    const open = await query(tx, sql`select id from user_account where id = ${id} and status = 'active' for share`);
    if (open.length > 0) return id;
  }
}

async function findDesignated(tx: Transaction, held: HeldDisbursement, submitterId: number): Promise<number | null> {
  const [found] = await query<{ approver_id: number | null }>(
    tx,
    sql`select ${designatedApprover([...held.makers, submitterId])} as approver_id
       from case_file c where c.id = ${held.case_id}`,
  );
  return found?.approver_id ?? null;
}
