import { recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ConflictError, ForbiddenError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, requireSecondPerson } from '@case-platform/modules/accounts';
import type { DisbursementContext } from '../create-disbursement.ts';
import { describeDisbursement } from '../describe-disbursement.ts';
import { parseReason } from '../disbursement-fields.ts';
import { type LockedDisbursement, lockDisbursement } from '../lock-disbursement.ts';

export interface PaymentStopNews {
  stop_id: number;
  event: 'raised' | 'cleared';
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Mails that payments to someone were stopped, or continue (BANK-10). */
    mail_payment_stop: PaymentStopNews;
    /** Pushes to the same people. */
    push_payment_stop: PaymentStopNews;
  }
}

/**
 * Stops all payments to the payee of a locked request until the stop is cleared (BANK-10). A payee has at most one stop per case
 * at a time; while there is one, this changes nothing. Steps that check the payee (`requirePayable`) wait for it.
 */
export async function raiseStop(
  tx: Transaction,
  request: LockedDisbursement,
  { text, chain_id, by, now }: { text: string; chain_id: number | null; by: ChangedByUser; now: Date },
): Promise<void> {
  const { id, payee_id, case_id } = request;
  await lockStopsOf(tx, payee_id);
  const [stop] = await query<{ id: number }>(
    tx,
    sql`insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason, chain_id)
        values (${payee_id}, ${case_id}, ${id}, ${by.actor.id}, ${now}, ${text}, ${chain_id})
        on conflict (payee_id, case_id) where cleared_at is null do nothing returning id`,
  );
  if (stop === undefined) return;
  await recordAudit(tx, {
    ...by,
    action: 'disbursement.stop_payments',
    subject_id: id,
    subject_label: describeDisbursement(request),
    case_id,
    after: { payee_id, reason: text },
  });
  await announceStop(tx, payee_id, { stop_id: stop.id, event: 'raised' });
}

export interface Clearing {
  /** The stop that was seen; another one by now is a conflict. */
  stop_id: number;
  reason: string;
}

/**
 * Clears a stop, so that payments to the payee continue unless another case has a stop too (BANK-10). The person who raised it is
 * notified.
 * @param id any request of the payee in the case of the stop.
 * @throws {NotFoundError} for a request that the actor does not see. @throws {InvalidInputError} without a reason.
 * @throws {ForbiddenError} for anyone except an admin with `edit_drs` who sees the case; `same_person` for the payee, and for
 * people who set the payee's account.
 * @throws {ConflictError} `wrong_state` if the stop was cleared meanwhile.
 */
export async function clearStop(
  { db, now }: DisbursementContext,
  id: number,
  { stop_id, reason }: Clearing,
  by: ChangedByUser,
): Promise<void> {
  const clear_reason = parseReason(reason);
  await db.transaction(async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id, { unread: true });
    const { payee_id, case_id } = request;
    if (!request.sees_case || !request.permissions.has('edit_drs'))
      throw new ForbiddenError('Only the case’s escrow specialist can let these payments continue.');
    const involved = sql`(select array[u.id, a.created_by] || a.entered_by from user_account u
      left join payee_bank_account a on a.user_id = u.id and a.replaced_at is null where u.id = ${payee_id})`;
    const words = 'These payments go to you, or to an account that you entered, so someone else has to check them.';
    await requireSecondPerson(tx, by.actor, involved, words);
    await lockStopsOf(tx, payee_id);
    const [stop] = await query<{ id: number }>(
      tx,
      sql`update payment_stop set cleared_by = ${by.actor.id}, cleared_at = ${now()}, clear_reason = ${clear_reason}
           where id = ${stop_id} and payee_id = ${payee_id} and case_id = ${case_id} and cleared_at is null returning id`,
    );
    if (stop === undefined) throw new ConflictError('Someone already cleared this.', 'wrong_state');
    await recordAudit(tx, {
      ...by,
      action: 'disbursement.clear_payments',
      subject_id: id,
      subject_label: describeDisbursement(request),
      case_id,
      after: { payee_id, reason: clear_reason },
    });
    await announceStop(tx, payee_id, { stop_id, event: 'cleared' });
  });
}

/** Waits for steps that are checking whether the payee can be paid, and makes later ones wait (`requirePayable`). */
async function lockStopsOf(tx: Transaction, payeeId: number): Promise<void> {
  await query(tx, sql`select id from user_account where id = ${payeeId} for no key update`);
}

/**
 * Queues the notices and the move of the payee's arrival days, and refreshes open pages of all cases in which the payee has open
 * requests. A job moves the days, because it locks requests of all cases; if the stop is cleared before it runs, no day moved.
 */
async function announceStop(tx: Transaction, payeeId: number, news: PaymentStopNews): Promise<void> {
  await enqueue(tx, 'move_dates', { payee_id: payeeId });
  await enqueue(tx, 'mail_payment_stop', news);
  await enqueue(tx, 'push_payment_stop', news);
  await query(
    tx,
    sql`select announce_case(open.case_id, null) from (
          select distinct case_id from disbursement_request
           where payee_id = ${payeeId} and status in ('submitted', 'approved', 'batched', 'returned')) open`,
  );
}
