import { createHash } from 'node:crypto';
import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { parseText } from '@case-platform/lib/text/typed-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { requireCategory } from '../case-categories.ts';
import { lockCase } from '../lock-case.ts';
import { parseAmount } from '../parse-amount.ts';
import { parseCaseDay, parseCategory } from '../parse-case-fields.ts';
import { requireOpenCase } from '../require-open-case.ts';

export interface NewScheduledPayment {
  /** Up to 100 characters. */
  category: string;
  /** Up to 2,000 characters. */
  description: string;
  /** `YYYY-MM-DD`. */
  due_date: string;
  amount_cents: number;
  /** A person on the case; null for none in particular. */
  payee_id: number | null;
  /** A repeated key with the same payment returns the first result (IDEMPOTENCY-1). */
  idempotencyKey?: string | undefined;
}

/**
 * Adds a line to a case's calendar (PLAN-2). The caller's guard checks `edit_case_details`.
 * @throws {NotFoundError} for an unknown case. @throws {InvalidInputError} also `unknown_category`.
 * @throws {ConflictError} for a closed case (CASE-7).
 */
export async function addScheduledPayment(
  db: Database,
  caseId: number,
  { idempotencyKey: key, ...payment }: NewScheduledPayment,
  by: ChangedByUser,
): Promise<{ id: number }> {
  const { category, description, due_date, amount_cents } = parseScheduledPayment(payment);
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify(['scheduled_payment', caseId, payment]))
      .digest();
  const add = async (tx: Transaction): Promise<{ id: number }> => {
    const caseFile = await lockCase(tx, caseId);
    requireOpenCase(caseFile);
    await requireCategory(tx, { caseId, category });
    if (payment.payee_id !== null) await requireOnCase(tx, caseId, payment.payee_id);
    const [row] = await query<{ id: number }>(
      tx,
      sql`insert into scheduled_payment (case_id, category, description, payee_id, due_date, amount_cents)
          values (${caseId}, ${category}, ${description}, ${payment.payee_id}, ${due_date}, ${amount_cents})
          returning id`,
    );
    const id = row?.id ?? 0;
    const after = { scheduled_payment_id: id, category, due_date, amount_cents };
    await recordAudit(tx, {
      ...by,
      action: 'case.add_scheduled_payment',
      subject_id: caseId,
      subject_label: caseFile.name,
      case_id: caseId,
      after,
    });
    return { id };
  };
  return writeOnce(db, { userId: by.actor.id, key, hashRequest }, add);
}

/**
 * Cancels a planned payment, which stays in the calendar.
 * @throws {NotFoundError} @throws {ConflictError} if it is paid or cancelled, or has a request (PLAN-2).
 */
export async function cancelScheduledPayment(db: Database, caseId: number, id: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const caseFile = await lockCase(tx, caseId);
    const [payment] = await query<{ status: string; is_requested: boolean }>(
      tx,
      sql`select s.status, exists (
                   select from disbursement_request d
                    where d.scheduled_payment_id = s.id
                      and d.status not in ('draft', 'denied', 'cancelled', 'returned', 'ended')) as is_requested
            from scheduled_payment s where s.id = ${id} and s.case_id = ${caseId} for update`,
    );
    if (payment === undefined) throw new NotFoundError();
    if (payment.status !== 'planned')
      throw new ConflictError('This scheduled payment is already paid or cancelled.', 'not_planned');
    if (payment.is_requested) throw new ConflictError('It already has a request.', 'already_requested');
    await query(tx, sql`update scheduled_payment set status = 'cancelled' where id = ${id}`);
    await recordAudit(tx, {
      ...by,
      action: 'case.cancel_scheduled_payment',
      subject_id: caseId,
      subject_label: caseFile.name,
      case_id: caseId,
      before: { scheduled_payment_id: id, status: 'planned' },
      after: { scheduled_payment_id: id, status: 'cancelled' },
    });
  });
}

/**
 * Marks a planned payment as paid. After the last one of its category the admins are notified (EMAIL-8). The caller must have
 * locked the case, so that two last payments do not miss each other.
 */
export async function markScheduledPaymentPaid(tx: Transaction, id: number, now: Date): Promise<void> {
  const [payment] = await query<{ case_id: number; category: string }>(
    tx,
    sql`update scheduled_payment set status = 'paid', paid_at = ${now} where id = ${id} and status = 'planned'
        returning case_id, category`,
  );
  if (payment === undefined) return;
  const remaining = await query(
    tx,
    sql`select id from scheduled_payment where case_id = ${payment.case_id} and category = ${payment.category}
           and status = 'planned' limit 1`,
  );
  if (remaining.length === 0)
    await enqueue(tx, 'mail_last_scheduled_payment', { scheduled_payment_id: id, at: now.toISOString() });
}

/** Opens a planned payment again after its payment was returned. */
export async function reopenScheduledPayment(tx: Transaction, id: number): Promise<void> {
  await query(tx, sql`update scheduled_payment set status = 'planned', paid_at = null where id = ${id} and status = 'paid'`);
}

function parseScheduledPayment({ category, description, due_date, amount_cents }: NewScheduledPayment) {
  const name = parseCategory(category);
  const text = parseText(description, { field: 'description', label: 'The description', max: DESCRIPTION_MAX });
  parseAmount('amount_cents', amount_cents);
  return { category: name, description: text, due_date: parseCaseDay('due_date', due_date), amount_cents };
}

async function requireOnCase(tx: Transaction, caseId: number, userId: number): Promise<void> {
  const participants = await query(
    tx,
    sql`select user_id from case_participant where case_id = ${caseId} and user_id = ${userId} and left_at is null`,
  );
  if (participants.length === 0) throw invalid('payee_id', 'Choose someone on this case.');
}
